import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../../context.js'
import { nameOf, requesterOf } from './schedule-request.js'

export function deleteSchedule(ctx: AppContext): RouteHandler {
  return async (req) => {
    await ctx.schedules.delete({ ...nameOf(req), requester: requesterOf(req) })
    return { status: 204 }
  }
}
