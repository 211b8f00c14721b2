import { decodeCursor, encodeCursor, type RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { runSummary, taskView } from './views.js'

/** What waits for a decision that the caller's role may take. */
export function listApprovals(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { limit, cursor } = req.query as { limit: number; cursor?: string }
    const after = cursor === undefined ? undefined : decodeCursor(cursor, { createdAt: 'time', id: 'uuid' })
    const { projectId, role } = req.identity
    const page = await ctx.scheduler.listApprovals({
      ...{ projectId, role, limit, afterCreatedAt: after?.createdAt ?? '', afterId: after?.id ?? '' },
    })
    await ctx.nameStarters(
      req.identity,
      page.approvals.flatMap(({ run }) => run ?? []),
    )
    const items = page.approvals.flatMap(({ run, task, role: needed, message }) =>
      run && task ? [{ run: runSummary(run), task: taskView(task), role: needed, message }] : [],
    )
    const nextCursor = page.nextId === '' ? null : encodeCursor({ createdAt: page.nextCreatedAt, id: page.nextId })
    return { status: 200, body: { items, nextCursor } }
  }
}
