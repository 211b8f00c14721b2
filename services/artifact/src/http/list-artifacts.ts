import { decodeCursor, encodeCursor, type RouteHandler } from '@millrace/http'
import { validate as isUuid } from 'uuid'
import type { AppContext } from '../context.js'
import { listArtifacts } from '../db/list-artifacts.js'
import { viewOf } from './artifact-view.js'
import { projectFor } from './worker-access.js'

interface Query {
  run?: string
  task?: string
  name?: string
  limit: number
  cursor?: string
}

export function listArtifactsRoute(ctx: AppContext): RouteHandler {
  return async (req) => {
    const query = req.query as unknown as Query
    const nothing = { status: 200, body: { items: [], nextCursor: null } }
    if (query.run !== undefined && !isUuid(query.run)) return nothing
    const rows = await listArtifacts(ctx.pool, {
      projectId: await projectFor(ctx, req, query.run ?? null),
      runId: query.run,
      task: query.task,
      name: query.name,
      beforeId: query.cursor === undefined ? undefined : decodeCursor(query.cursor, { id: 'uuid' }).id,
      limit: query.limit + 1,
    })
    const items = rows.slice(0, query.limit)
    const last = rows.length > query.limit ? items.at(-1) : undefined
    const nextCursor = last === undefined ? null : encodeCursor({ id: last.id })
    return { status: 200, body: { items: items.map(viewOf), nextCursor } }
  }
}
