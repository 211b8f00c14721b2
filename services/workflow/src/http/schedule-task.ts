import type { JsonReply, RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import type { RunRequest } from '../db/run-requests.js'
import { orderOf, settling } from './start-run.js'

interface ScheduleTaskBody {
  type: string
  payload?: Record<string, unknown>
  delaySeconds?: number
  retries?: number
  priority?: number
}

const accepted = (run: RunRequest): JsonReply => ({ status: 202, body: { runId: run.id } })

/** One task by itself: a run of a workflow that nobody had to write. */
export function scheduleTask(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { type, payload = {}, retries, ...options } = req.body as ScheduleTaskBody
    const { projectId, subject } = req.identity
    const { workflow, version } = await ctx.oneOffs.resolve(projectId, type, retries, subject)
    const order = orderOf(req, workflow, { ...options, version, input: payload })
    const { run } = await ctx.runCreator.create({ ...order, ...settling(req, accepted) })
    return accepted(run)
  }
}
