import type { Decision } from '../domain/decide.js'
import type { TaskChange } from '../domain/effects.js'
import type { EnginePlan } from '../domain/engine-plan.js'
import type { RunState } from '../domain/state.js'
import type { QueuedTask } from './engine-context.js'
import type { BirthFacts, LaneItem } from './lane-item.js'

/** A lease that a decision's ready task is written with, instead of a place in the queue. */
export interface Grant {
  readonly sessionId: string
  readonly workerId: string
  readonly leaseId: string
}

/** One run's part of a batch: its decision, and who already waits for its ready tasks. */
export interface DecidedRun {
  readonly before: RunState
  readonly decision: Decision
  readonly plan: EnginePlan
  readonly birth: BirthFacts | null
  readonly items: readonly LaneItem[]
  /** By task index. */
  readonly grants: ReadonlyMap<number, Grant>
  /** Indices of tasks that only the statement that takes slots may lease, or that may hold some. */
  readonly limited: ReadonlySet<number>
}

/** Ready tasks that nobody waited for. */
export function waitingTasks(run: DecidedRun): QueuedTask[] {
  const { state, effects } = run.decision
  const { id: runId, projectId } = state
  return effects.tasks.flatMap(({ status, index }) => {
    if (status !== 'queued' || run.grants.has(index)) return []
    const { queue = '', uses = '' } = run.plan.tasks[index] ?? {}
    return [{ runId, projectId, taskId: state.tasks[index]?.id ?? '', queue, uses }]
  })
}

export function taskId(run: DecidedRun, change: TaskChange): string {
  const task = run.decision.state.tasks[change.index]
  if (!task) throw new Error(`run ${run.before.id} has no task ${change.index}`)
  return task.id
}
