import { type AppError, notFound } from '@millrace/errors'
import { decodeCursor, encodeCursor, type RouteHandler } from '@millrace/http'
import type { AppContext } from '../../context.js'
import { requesterOf } from '../schedules/schedule-request.js'
import { workerView } from './views.js'

const absent = (): AppError => notFound('worker_not_found', 'There is no such worker.')
const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

export function listWorkers(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { limit, cursor, state = [] } = req.query as { limit: number; cursor?: string; state?: string[] }
    const before = cursor === undefined ? undefined : decodeCursor(cursor, { startedAt: 'time', id: 'uuid' })
    const { workers, shared, totals } = await ctx.control.listWorkers({
      projectId: req.identity.projectId,
      withShared: req.identity.admin,
      limit: limit + 1,
      state: state.join(),
      beforeStartedAt: before?.startedAt ?? '',
      beforeSessionId: before?.id ?? '',
    })
    const shown = workers.slice(0, limit)
    const last = workers.length > limit ? shown.at(-1) : undefined
    const nextCursor = last ? encodeCursor({ startedAt: last.startedAt, id: last.sessionId }) : null
    return { status: 200, body: { items: shown.map(workerView), nextCursor, shared, totals } }
  }
}

export function commandWorker(ctx: AppContext, command: 'pause' | 'resume' | 'drain'): RouteHandler {
  return async (req) => {
    const id = req.params.id ?? ''
    if (!idPattern.test(id)) throw absent()
    const { projectId, admin: withShared } = req.identity
    const worker = await ctx.control.commandWorker({
      id,
      projectId,
      withShared,
      command,
      requester: requesterOf(req),
    })
    return { status: 200, body: workerView(worker) }
  }
}
