import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { readStatsRange } from '../domain/stats-range.js'

/** More tasks than any one screen shows; a project with more asks workflow by workflow. */
const MAX_TASKS = 2_000

export function getTaskStats(ctx: AppContext): RouteHandler {
  return async (req) => {
    const query = req.query as { from?: string; to?: string; workflow?: string }
    const { from, to } = readStatsRange(query, Date.now())
    const workflow = query.workflow === undefined ? {} : { workflow: query.workflow }
    const range = { projectId: req.identity.projectId, from, to, ...workflow }
    const items = (await ctx.store.taskStats(range, MAX_TASKS)).map((task) => ({
      ...{ workflow: task.workflow, key: task.task },
      ...{ runs: task.total, failures: task.failures, retries: task.retries },
      ...task.durations,
      wait: task.queueWait,
    }))
    return { status: 200, body: { from: from.toISOString(), to: to.toISOString(), items } }
  }
}
