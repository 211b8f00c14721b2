import type { PlanTask } from '@millrace/definition'
import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import type { RunRequest } from '../db/run-requests.js'
import { planOf, seekRun } from './find-run.js'
import { runIdOf } from './path-id.js'

interface Blocker {
  kind: string
  detail: string
}

/** Why a run is not with the scheduler, or will not go on once it is. */
function blockerOf({ waiting, hold, workflow, startAt }: RunRequest): Blocker {
  if (waiting) return { kind: 'workflow_paused', detail: `the workflow ${workflow} is paused` }
  if (hold) return { kind: 'run_paused', detail: 'the run is paused' }
  if (startAt !== null && startAt.getTime() > Date.now()) {
    return { kind: 'timer', detail: `the run starts at ${startAt.toISOString()}` }
  }
  return { kind: 'position', detail: 'the run waits for the scheduler to take it' }
}

export function explainRun(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { projectId } = req.identity
    const runId = runIdOf(req)
    const seen = await seekRun(ctx, projectId, runId, () => ctx.scheduler.explainRun(projectId, runId))
    if ('found' in seen) {
      const tasks = seen.found.tasks.map(({ key, index, _index, status, why, blockers }) => ({
        key,
        ...(_index === undefined ? {} : { index }),
        status,
        why,
        blockers,
      }))
      return { status: 200, body: { blockers: seen.found.blockers, tasks } }
    }
    const { tasks } = await planOf(ctx, seen.request)
    const blocker = blockerOf(seen.request)
    return {
      status: 200,
      body: { blockers: [blocker], tasks: tasks.map((task) => explainPending(task, tasks, blocker)) },
    }
  }
}

function explainPending(task: PlanTask, all: readonly PlanTask[], blocker: Blocker) {
  const dependencies = task.needs.map((index) => ({ kind: 'dependency', detail: all[index]?.key ?? '' }))
  const blockers = dependencies.length > 0 ? dependencies : [blocker]
  return { key: task.key, status: 'pending', why: blocker.detail, blockers }
}
