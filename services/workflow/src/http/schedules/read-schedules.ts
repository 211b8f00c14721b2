import { decodeCursor, encodeCursor, type RouteHandler } from '@millrace/http'
import type { AppContext } from '../../context.js'
import { nameOf } from './schedule-request.js'
import { scheduleView } from './schedule-view.js'

export function getSchedule(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { id, projectId } = nameOf(req)
    return { status: 200, body: scheduleView(await ctx.schedules.get(projectId, id)) }
  }
}

export function listSchedules(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { limit, cursor, workflow = '' } = req.query as { limit: number; cursor?: string; workflow?: string }
    const before = cursor === undefined ? undefined : decodeCursor(cursor, { createdAt: 'time', id: 'uuid' })
    const schedules = await ctx.schedules.list({
      projectId: req.identity.projectId,
      workflow,
      limit: limit + 1,
      beforeCreatedAt: before?.createdAt ?? '',
      beforeId: before?.id ?? '',
    })
    const shown = schedules.slice(0, limit)
    const last = schedules.length > limit ? shown.at(-1) : undefined
    const nextCursor = last ? encodeCursor({ createdAt: last.createdAt, id: last.id }) : null
    return { status: 200, body: { items: shown.map(scheduleView), nextCursor } }
  }
}

export function listNextTicks(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { id, projectId } = nameOf(req)
    const { n = 5 } = req.query as { n?: number }
    return { status: 200, body: { items: await ctx.schedules.next(projectId, id, n) } }
  }
}
