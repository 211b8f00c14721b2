import type { scheduler } from '@millrace/contracts'
import { notFound } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { type DeferredRow, deferredOfRun } from '../db/deferred-tasks.js'
import { admissionPlace, lacksOfRun } from '../db/limits/explain-limits.js'
import {
  findRun,
  listTasksOfRun,
  type MapProgress,
  mapProgress,
  queuePositions,
  type RunView,
  runStatuses,
  type TaskView,
  timersOfRun,
} from '../db/queries.js'
import { pausedQueues } from '../db/queues.js'
import { listLiveSessions } from '../db/sessions.js'
import type { EnginePlan } from '../domain/engine-plan.js'
import { type Blocker, explainTask, runPaused, runStarts, runWaitsFor, type TaskFacts } from '../domain/explain.js'
import { type TaskStatus, taskHasEnded } from '../domain/task-state.js'
import { accepts } from '../engine/dispatch-rules.js'
import { readerProject, requireId } from './caller.js'

export function explainRun(
  ctx: AppContext,
): UnaryHandler<scheduler.ExplainRunRequest__Output, scheduler.ExplainRunResponse> {
  return async (request, call) => {
    const runId = requireId(request.runId, 'run_not_found')
    const projectId = readerProject(call, request.projectId)
    const run = await findRun(ctx.pool, runId, projectId)
    if (!run) throw notFound('run_not_found', 'no such run')
    const [tasks, maps, positions, timers, sessions, paused, plan, heldBack, lacks, place] = await Promise.all([
      listTasksOfRun(ctx.pool, runId, INPUT_BYTES),
      mapProgress(ctx.pool, runId),
      queuePositions(ctx.pool, runId),
      timersOfRun(ctx.pool, runId),
      listLiveSessions(ctx.pool, projectId),
      pausedQueues(ctx.pool, projectId),
      ctx.engine.planOf(run.version_id),
      deferredOfRun(ctx.pool, runId),
      lacksOfRun(ctx.pool, runId, (queue) => ctx.engine.queueLimits.of(projectId, queue)),
      admissionPlace(ctx.pool, runId),
    ])
    const children = await runStatuses(
      ctx.pool,
      tasks.flatMap((task) => task.child_run_id ?? []),
    )
    const workersFor = ({ uses, queue }: TaskView): TaskFacts['workers'] => {
      const able = sessions.filter((session) => accepts(session, { projectId, uses, queue }))
      if (able.length === 0) return 'none'
      return able.some(({ state }) => state === 'active') ? 'active' : 'paused'
    }
    const runWaits = place && run.status === 'queued' ? runWaitsFor(place.key, place.inUse, place.limit) : null
    const top = new Map(tasks.filter(({ idx }) => idx < 0).map((task) => [task.ordinal, task]))
    const explained = tasks.map((task) =>
      explainTask({
        ...factsOf(task, top, plan, maps),
        dueAt: timers.get(task.id)?.toISOString() ?? null,
        ahead: positions.get(task.id) ?? null,
        workers: workersFor(task),
        queuePaused: paused.has(task.queue),
        runPaused: run.status === 'paused',
        runStartsAt: startsAt(run),
        ...childOf(task, children),
        heldBack: heldFacts(heldBack.get(task.id)),
        lack: lacks.get(task.id) ?? null,
        runWaits,
      }),
    )
    return {
      blockers: blockersOf(run, runWaits),
      tasks: explained.map((task) => ({ ...task, blockers: [...task.blockers] })),
    }
  }
}

/** Enough for what tasks that wait were given; the rest is not looked at. */
const INPUT_BYTES = 1024 * 1024

/** As asked for: the timer counts from when the run arrived, by the clock of the database. */
const startsAt = ({ run_at: due, origin }: RunView): string | null =>
  due === null ? null : (origin?.startAt ?? due.toISOString())

function blockersOf(run: RunView, runWaits: Blocker | null): Blocker[] {
  if (run.status === 'paused') return [runPaused]
  const at = startsAt(run)
  if (at !== null) return [runStarts(at)]
  return runWaits ? [runWaits] : []
}

/** A child that has not reached the scheduler is queued. */
function childOf(task: TaskView, statuses: ReadonlyMap<string, string>): Pick<TaskFacts, 'child'> {
  if (task.child_run_id === null) return {}
  return { child: { runId: task.child_run_id, status: statuses.get(task.child_run_id) ?? 'queued' } }
}

const heldFacts = (row: DeferredRow | undefined): TaskFacts['heldBack'] =>
  row ? { until: row.until.toISOString(), detail: row.detail } : null

function factsOf(
  task: TaskView,
  top: ReadonlyMap<number, TaskView>,
  plan: EnginePlan,
  maps: ReadonlyMap<number, MapProgress>,
): Omit<
  TaskFacts,
  'dueAt' | 'ahead' | 'workers' | 'queuePaused' | 'runPaused' | 'runStartsAt' | 'heldBack' | 'lack' | 'runWaits'
> {
  const needs = (plan.tasks[task.ordinal]?.needs ?? []).map((index) => ({
    key: plan.tasks[index]?.key ?? '',
    status: (top.get(index)?.status ?? 'pending') as TaskStatus,
  }))
  const { key, uses, queue, idx } = task
  const undoes = plan.tasks[plan.tasks[task.ordinal]?.compensates ?? -1]?.key
  const works = plan.tasks.some(
    ({ index, compensates }) => compensates === undefined && !taskHasEnded(top.get(index)?.status as TaskStatus),
  )
  return {
    ...{ key, uses, queue, needs, status: task.status as TaskStatus, workerId: task.worker_id },
    ...(idx >= 0 ? { index: idx } : {}),
    ...(undoes !== undefined && works ? { compensates: undoes } : {}),
    input: task.input ?? 'null',
    children: uses === 'map' ? (maps.get(task.ordinal) ?? null) : null,
  }
}
