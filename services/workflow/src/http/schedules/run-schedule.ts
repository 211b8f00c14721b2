import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../../context.js'
import { acceptedRun, orderOf, settling } from '../start-run.js'
import { nameOf } from './schedule-request.js'

/** A run as the schedule would start it, now and in the caller's name. Its ticks stay as they are. */
export function runSchedule(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { id, projectId } = nameOf(req)
    const schedule = await ctx.schedules.get(projectId, id)
    const body = { input: JSON.parse(schedule.inputJson), labels: { schedule: id } }
    const order = orderOf(req, schedule.workflow, body)
    const { run } = await ctx.runCreator.create({ ...order, ...settling(req, acceptedRun) })
    return acceptedRun(run)
  }
}
