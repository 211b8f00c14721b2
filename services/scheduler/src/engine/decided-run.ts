import type { Decision } from '../domain/decide.js'
import type { TaskChange } from '../domain/effects.js'
import type { EnginePlan } from '../domain/engine-plan.js'
import { isBlocked } from '../domain/limits/run-admission.js'
import type { RunState } from '../domain/state.js'
import type { NewRunFacts, ShardItem } from './shard-item.js'

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
  readonly newRun: NewRunFacts | null
  readonly items: readonly ShardItem[]
  /** By task index. */
  readonly grants: ReadonlyMap<number, Grant>
  /** Indices of tasks that only the statement that takes slots may lease, or that may hold some. */
  readonly limited: ReadonlySet<number>
}

/** Indices of the tasks that a decision puts into the queue. A paused run's ready tasks wait outside of it. */
export function queuedIndices({ decision: { state, effects }, grants }: DecidedRun): number[] {
  if (isBlocked(state.status)) return []
  const ready = effects.tasks.filter(({ status, index }) => status === 'queued' && !grants.has(index))
  return [...ready.map(({ index }) => index), ...effects.requeued]
}

export function taskId(run: DecidedRun, change: TaskChange): string {
  const task = run.decision.state.tasks[change.index]
  if (!task) throw new Error(`run ${run.before.id} has no task ${change.index}`)
  return task.id
}
