import type { scheduler } from '@millrace/contracts'
import { permissionDenied } from '@millrace/errors'
import type { StreamHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { runSummariesById, runsById, tasksById } from '../db/read-changed.js'
import { requireId } from './caller.js'
import { taskMapper, toProtoRun } from './to-proto.js'

/** Tasks of one query: what they hold of users' JSON is in memory at once. */
const SLICE = 50

type Handler = StreamHandler<scheduler.ReadChangedRequest__Output, scheduler.ReadChangedResponse>

/**
 * For services alone: it reads whatever project the ids belong to. Runs are read before tasks and sent after them, so that
 * nobody hears of a run's end before that of its tasks. The caller bounds how many runs it asks for at once.
 */
export function readChanged(ctx: AppContext): Handler {
  return async function* (request, call) {
    if (call.service === undefined) throw permissionDenied('forbidden', 'only services read by id across projects')
    const taskIds = request.taskIds.map((id) => requireId(id, 'task_not_found'))
    const changedRuns = await runsById(
      ctx.pool,
      request.runIds.map((id) => requireId(id, 'run_not_found')),
    )
    for (const ids of slices(taskIds)) {
      const tasks = await tasksById(ctx.pool, ids)
      const runs = await runSummariesById(ctx.pool, [...new Set(tasks.map((task) => task.run_id))])
      for (const task of tasks) {
        const run = runs.get(task.run_id)
        if (!run) continue
        const plan = await ctx.engine.planOf(run.version_id)
        yield { run: toProtoRun(run), task: taskMapper(run, plan)(task) }
      }
    }
    for (const run of changedRuns) yield { run: toProtoRun(run) }
  }
}

function* slices(ids: readonly string[]): Generator<string[]> {
  for (let start = 0; start < ids.length; start += SLICE) yield ids.slice(start, start + SLICE)
}
