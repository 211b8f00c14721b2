import type { EnginePlan } from './engine-plan.js'
import type { Transition } from './transition.js'

/** A task that a rerun does not execute: what another run's task gave stands for it. */
export interface ReusedTask {
  readonly index: number
  /** The task of the other run. */
  readonly taskId: string
  readonly attempt: number
  readonly maxAttempts: number
  /** Parsed; only for tasks that some expression names. */
  readonly output?: unknown
  /** The output is kept as an artifact. */
  readonly large?: boolean
}

/** Keys of the tasks that a run's compensations undid, and of those compensations: a rerun takes over neither. */
export const undoneIn = (plan: EnginePlan, rows: readonly { ordinal: number; attempt: number }[]): string[] =>
  rows.flatMap(({ ordinal, attempt }) => {
    const { key, compensates } = plan.tasks[ordinal] ?? {}
    const undone = plan.tasks[compensates ?? -1]?.key
    return key !== undefined && undone !== undefined && attempt > 0 ? [key, undone] : []
  })

/** These tasks and everything downstream of them. */
export function downstreamOf(plan: EnginePlan, from: readonly string[]): Set<number> {
  const found = new Set(from.flatMap((key) => plan.byKey.get(key) ?? []))
  // A Set is iterated in order of insertion and sees what is added meanwhile.
  for (const index of found) for (const dependent of plan.tasks[index]?.dependents ?? []) found.add(dependent)
  return found
}

export function reuse(transition: Transition, tasks: readonly ReusedTask[]): void {
  for (const { index, taskId, attempt, maxAttempts, output, large } of tasks) {
    if (large) transition.markHeavy()
    transition.moveTask(index, 'succeeded', {
      attempt,
      maxAttempts,
      copyFrom: taskId,
      ...(output === undefined ? {} : { parsedOutput: output }),
    })
  }
}
