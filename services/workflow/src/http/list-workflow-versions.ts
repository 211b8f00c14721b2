import { decodeCursor, encodeCursor, type RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { listVersions } from '../db/versions.js'
import { findWorkflow } from '../db/workflows.js'
import { workflowAbsent, workflowNameOf } from './path-id.js'

export function listWorkflowVersions(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { limit, cursor } = req.query as { limit: number; cursor?: string }
    const workflow = await findWorkflow(ctx.pool, req.identity.projectId, workflowNameOf(req))
    if (workflow === undefined) throw workflowAbsent()
    const before = cursor === undefined ? undefined : decodeCursor(cursor, { version: 'integer' }).version
    const rows = await listVersions(ctx.pool, workflow.id, before, limit + 1)
    const shown = rows.slice(0, limit)
    const last = rows.length > limit ? shown.at(-1) : undefined
    const items = shown.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }))
    return { status: 200, body: { items, nextCursor: last ? encodeCursor({ version: last.version }) : null } }
  }
}
