import type { iamServiceDefinition } from '@millrace/contracts'
import { malformed } from '@millrace/errors'
import type { HandlersOf } from '@millrace/grpc'
import { withTransaction } from '@millrace/postgres'
import { validate as isUuid } from 'uuid'
import type { IamContext } from '../context.js'
import * as rows from '../db/open-streams.js'
import { findQuotas } from '../db/quotas.js'
import { quotaDefaults } from '../domain/quotas.js'

type Handlers = HandlersOf<typeof iamServiceDefinition>

const MAX_AT_ONCE = 20_000

function requireStream(stream: { id: string; projectId: string } | null): rows.StreamRow {
  if (!stream || !isUuid(stream.id) || !isUuid(stream.projectId)) {
    throw malformed('invalid_stream', 'A stream is named by its id and its project.')
  }
  return stream
}

export function openStream(ctx: IamContext): Handlers['openStream'] {
  return async ({ stream }) => {
    const row = requireStream(stream)
    const found = await findQuotas(ctx.pool, { projectId: row.projectId })
    const limit = found ? found.quotas.streams : quotaDefaults.streams
    return { allowed: await withTransaction(ctx.pool, (tx) => rows.openStream(tx, row, limit)) }
  }
}

export function keepStreams(ctx: IamContext): Handlers['keepStreams'] {
  return async ({ open, endedIds }) => {
    if (open.length + endedIds.length > MAX_AT_ONCE) throw malformed('too_many_streams', 'Too many streams at once.')
    await rows.keepStreams(ctx.pool, open.map(requireStream))
    await rows.endStreams(
      ctx.pool,
      endedIds.filter((id) => isUuid(id)),
    )
    return {}
  }
}
