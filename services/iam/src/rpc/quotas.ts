import type { iam, iamServiceDefinition } from '@millrace/contracts'
import { malformed } from '@millrace/errors'
import type { HandlersOf } from '@millrace/grpc'
import { validate as isUuid } from 'uuid'
import type { IamContext } from '../context.js'
import { usedToday } from '../db/daily-usage.js'
import { countStreams } from '../db/open-streams.js'
import { findQuotas } from '../db/quotas.js'
import { reportedBytes } from '../db/reported-storage.js'
import { effectiveQuotas, type Quotas, quotaNames } from '../domain/quotas.js'

type Handlers = HandlersOf<typeof iamServiceDefinition>

export function requireProjectId(projectId: string): string {
  if (!isUuid(projectId)) throw malformed('invalid_project', 'The project must be named by its id.')
  return projectId
}

function toProto(quotas: Quotas, revision: number): iam.Quotas {
  const limited = quotaNames.flatMap((name) => (quotas[name] === null ? [] : [[name, quotas[name]] as const]))
  return { ...Object.fromEntries(limited), revision }
}

/** A project that is gone has the defaults: what is left of it is nobody's to refuse here. */
export function getQuotas(ctx: IamContext): Handlers['getQuotas'] {
  return async ({ projectId }) => {
    const found = await findQuotas(ctx.pool, { projectId: requireProjectId(projectId) })
    return { quotas: toProto(found?.quotas ?? effectiveQuotas({}), found?.revision ?? 0) }
  }
}

export function getUsage(ctx: IamContext): Handlers['getUsage'] {
  return async ({ projectId, slug }) => {
    const found = await findQuotas(ctx.pool, projectId === '' ? { slug } : { projectId: requireProjectId(projectId) })
    if (!found) return { projectId: '' }
    const [streams, mailsToday, storageBytes] = await Promise.all([
      countStreams(ctx.pool, found.projectId),
      usedToday(ctx.pool, found.projectId, 'mailsPerDay'),
      reportedBytes(ctx.pool, found.projectId),
    ])
    const quotas = toProto(found.quotas, found.revision)
    return { projectId: found.projectId, quotas, streams, mailsToday, storageBytes }
  }
}
