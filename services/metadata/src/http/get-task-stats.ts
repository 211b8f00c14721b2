import type { RouteHandler } from '@millrace/http'
import type { TaskOrder } from '@millrace/job-store'
import type { AppContext } from '../context.js'
import { readStatsRange } from '../domain/stats-range.js'

/** More tasks than any one screen shows; a project with more asks workflow by workflow. */
const MAX_TASKS = 2_000

interface TaskStatsRequest {
  from?: string
  to?: string
  workflow?: string
  order?: TaskOrder
  limit?: number
}

export function getTaskStats(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { limit = MAX_TASKS, ...query } = req.query as unknown as TaskStatsRequest
    const { from, to } = readStatsRange(query, Date.now())
    const { workflow, order } = query
    const chosen = { ...(workflow === undefined ? {} : { workflow }), ...(order === undefined ? {} : { order }) }
    const range = { projectId: req.identity.projectId, from, to, ...chosen }
    const items = (await ctx.store.taskStats(range, limit)).map((task) => ({
      ...{ workflow: task.workflow, key: task.task },
      ...{ runs: task.total, failures: task.failures, retries: task.retries },
      ...task.durations,
      wait: task.queueWait,
    }))
    return { status: 200, body: { from: from.toISOString(), to: to.toISOString(), items } }
  }
}
