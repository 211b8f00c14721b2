import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { findRun } from './find-run.js'
import { runIdOf } from './path-id.js'

/** Outputs by task; a map's own output holds those of its children. */
export function getRunResults(ctx: AppContext): RouteHandler {
  return async (req) => {
    const run = await findRun(ctx, req.identity.projectId, runIdOf(req))
    const tasks = 'found' in run ? run.found.tasks : []
    const done = tasks.filter((task) => task._index === undefined && task.status === 'succeeded')
    const results = done.map((task) => [task.key, task.outputJson === '' ? null : JSON.parse(task.outputJson)] as const)
    return { status: 200, body: Object.fromEntries(results) }
  }
}
