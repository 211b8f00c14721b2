import { derivedId } from './derived-id.js'
import type { EnginePlanTask } from './engine-plan.js'
import { type Failure, failure } from './failure.js'
import { settleFailure } from './settle.js'
import type { Transition } from './transition.js'

/** A run that is nobody's child has depth 0. */
export const MAX_DEPTH = 8

/** The same for every repetition of the call that makes the child; another for each attempt. */
export const childDedupeKey = (taskId: string, attempt: number): string => `child:${taskId}:${attempt}`

/** Derived from the dedupe key, so that a cancel can be addressed before the child's creation. */
export const childRunId = (taskId: string, attempt: number): string =>
  derivedId(taskId, childDedupeKey(taskId, attempt))

/** What the `with` of a task that uses `workflow` asks for. */
export interface ChildTerms {
  readonly name: string
  /** 0 = newest. */
  readonly version: number
  readonly inputJson: string
}

export function childTerms(input: string): ChildTerms | Failure {
  const terms = JSON.parse(input) as { name?: unknown; version?: unknown; input?: unknown } | null
  const { name, version = 0 } = terms ?? {}
  if (typeof name !== 'string' || name === '') return failure('invalid_child', '`name` must be text', 'validation')
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 0) {
    return failure('invalid_child', '`version` must be a whole number', 'validation')
  }
  return { name, version, inputJson: terms?.input === undefined ? '{}' : JSON.stringify(terms.input) }
}

/** Why this task may not have a child, if so. */
export function refuseChild(transition: Transition, input: string): Failure | null {
  if ((transition.state.origin?.parent?.depth ?? 0) >= MAX_DEPTH) {
    return failure('too_deep', `sub-workflows may be nested ${MAX_DEPTH} deep at most`, 'validation')
  }
  const terms = childTerms(input)
  return 'name' in terms ? null : terms
}

export function askForChild(transition: Transition, index: number): void {
  transition.addTimer({ kind: 'call-child', taskIndex: index, delayMs: 0 })
}

/** After a pause: every child that is waited for is asked for again, which gives the same one where it exists. */
export function askForChildren(transition: Transition): void {
  transition.tasks.forEach((task, index) => {
    if (task.status === 'waiting' && transition.plan.tasks[index]?.uses === 'workflow') askForChild(transition, index)
  })
}

/**
 * Whether the task stands for a run that is under way. One that was asked for and is not there yet is cancelled before it
 * begins, so nobody has to wait for it.
 */
export function hasOpenChild(transition: Transition, index: number): boolean {
  const { id, status, attempt } = transition.task(index)
  if (status !== 'waiting' || transition.plan.tasks[index]?.uses !== 'workflow') return false
  return transition.state.openChildren?.has(childRunId(id, attempt)) ?? false
}

/** Takes up a task that stands for another run. */
export function beginChild(transition: Transition, plan: EnginePlanTask, attempt: number, input: string): true {
  const refusal = refuseChild(transition, input)
  if (refusal) {
    settleFailure(transition, plan.index, refusal, 0, { attempt })
    return true
  }
  transition.moveTask(plan.index, 'waiting', { attempt, input })
  if (plan.timeoutMs !== undefined) {
    transition.addTimer({ kind: 'task-timeout', taskIndex: plan.index, delayMs: plan.timeoutMs })
  }
  askForChild(transition, plan.index)
  return true
}
