import { decodeCursor, encodeCursor, type RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { listWorkflows as selectWorkflows } from '../db/workflows.js'
import { workflowSummary } from './views.js'

export function listWorkflows(ctx: AppContext): RouteHandler {
  return async (req) => {
    const query = req.query as { limit: number; cursor?: string; q?: string; tag?: string; paused?: boolean }
    const rows = await selectWorkflows(ctx.pool, {
      projectId: req.identity.projectId,
      q: query.q,
      tag: query.tag,
      paused: query.paused,
      before: query.cursor === undefined ? undefined : decodeCursor(query.cursor, { createdAt: 'time', id: 'uuid' }),
      limit: query.limit + 1,
    })
    const shown = rows.slice(0, query.limit)
    const last = rows.length > query.limit ? shown.at(-1) : undefined
    const nextCursor = last ? encodeCursor({ createdAt: last.createdAt.toISOString(), id: last.id }) : null
    return { status: 200, body: { items: shown.map(workflowSummary), nextCursor } }
  }
}
