import { decodeCursor, encodeCursor, type RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { planOf, seekRun } from './find-run.js'
import { runIdOf } from './path-id.js'
import { pendingTaskView, taskView } from './views.js'

interface TasksQuery {
  limit: number
  cursor?: string
  key?: string
  status?: string[]
}

export function listRunTasks(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { projectId } = req.identity
    const runId = runIdOf(req)
    const query = req.query as unknown as TasksQuery
    const position = query.cursor === undefined ? {} : decodeCursor(query.cursor)
    const { limit, key = '', status: statuses = [] } = query
    const status = statuses.join()
    // A cursor given out before the scheduler had the run means nothing to it: that list starts anew.
    const cursor = typeof position.tasks === 'string' ? position.tasks : ''
    const seen = await seekRun(ctx, projectId, runId, () =>
      ctx.scheduler.listTasks({ projectId, runId, key, status, limit, cursor }),
    )
    if ('found' in seen) {
      const { tasks, nextCursor } = seen.found
      const next = nextCursor === '' ? null : encodeCursor({ tasks: nextCursor })
      return { status: 200, body: { items: tasks.map(taskView), nextCursor: next } }
    }
    const planned = (await planOf(ctx, seen.request)).tasks.filter(
      (task) => (key === '' || task.key === key) && (statuses.length === 0 || statuses.includes('pending')),
    )
    const from = Number.isSafeInteger(position.pending) ? Math.max(0, position.pending as number) : 0
    const next = from + limit < planned.length ? encodeCursor({ pending: from + limit }) : null
    return { status: 200, body: { items: planned.slice(from, from + limit).map(pendingTaskView), nextCursor: next } }
  }
}
