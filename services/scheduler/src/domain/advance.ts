import { EvaluationDeferred, ExpressionError, type PlanTask } from '@millrace/definition'
import { isCompensation, isToBeUndone, openCompensations } from './compensation.js'
import { type Failure, failure, type RunFailure } from './failure.js'
import { resolveLimits } from './limits/resolve-limits.js'
import type { TaskLimit } from './limits/task-limits.js'
import { tooManyItems } from './map-task.js'
import { acceptsFailure, readiness } from './readiness.js'
import { type RunStatus, runHasEnded } from './run-state.js'
import { settleFailure } from './settle.js'
import { resolveInput } from './task-input.js'
import { taskHasEnded } from './task-state.js'
import type { Transition } from './transition.js'
import { beginWaiting } from './waiting.js'

/** Moves on everything that may move once the tasks in `ended` have ended; ends the run with its last task. */
export function advance(transition: Transition, ended: readonly number[], random: number): void {
  if (runHasEnded(transition.status)) return
  const dependents = new Set<number>()
  const enqueue = (index: number) => {
    for (const dependent of transition.plan.tasks[index]?.dependents ?? []) dependents.add(dependent)
  }
  for (const index of ended) enqueue(index)
  for (const index of dependents) {
    // A Set is iterated in order of insertion and sees what is added meanwhile; a task is looked at again after removal.
    dependents.delete(index)
    if (tryBeginOrPostpone(transition, index, random)) enqueue(index)
  }
  if (transition.takeRecheckAll()) advanceAll(transition, random)
  else completeRun(transition)
}

/** Looks at every pending task, as at a run's creation; then as `advance`. */
export function advanceAll(transition: Transition, random: number): void {
  transition.takeRecheckAll()
  const skipped: number[] = []
  for (const { index } of transition.plan.tasks) {
    if (tryBeginOrPostpone(transition, index, random)) skipped.push(index)
  }
  advance(transition, skipped, random)
}

/** As `tryBegin`; what does not fit into this decision any more stays pending. */
function tryBeginOrPostpone(transition: Transition, index: number, random: number): boolean {
  return orPostpone(transition, () => tryBegin(transition, index, random)) ?? false
}

/** Expressions are evaluated before a task is touched, so that one which is put off has left no trace. */
export function orPostpone<T>(transition: Transition, begin: () => T): T | undefined {
  try {
    return begin()
  } catch (error) {
    if (!(error instanceof EvaluationDeferred)) throw error
    transition.postpone()
    return undefined
  }
}

/** Begins, skips or fails a pending task if its needs allow; true when it has ended by that. */
function tryBegin(transition: Transition, index: number, random: number): boolean {
  const plan = transition.plan.tasks[index]
  if (!plan || plan.compensates !== undefined || transition.status === 'cancelling') return false
  if (transition.task(index).status !== 'pending') return false
  const step =
    transition.stopping && !acceptsFailure(plan.when)
      ? 'skip'
      : readiness(
          plan.when,
          plan.needs.map((need) => transition.task(need).status),
        )
  if (step === 'wait') return false
  if (transition.isFull) {
    transition.postpone()
    return false
  }
  if (step === 'skip' || !conditionHolds(transition, plan)) {
    if (transition.task(index).status === 'pending') transition.moveTask(index, 'skipped')
    return true
  }
  return !beginAttempt(transition, index, random)
}

function conditionHolds(transition: Transition, plan: PlanTask): boolean {
  if (!plan.if) return true
  try {
    const value = plan.if.evaluate(transition.scope(plan.if, plan.index, 1))
    if (typeof value === 'boolean') return value
    failBeforeLease(
      transition,
      plan.index,
      failure('if_not_boolean', '`if` did not give true or false', 'expression'),
      0,
    )
    return false
  } catch (error) {
    failBeforeLease(transition, plan.index, expressionFailure(error), 0)
    return false
  }
}

/**
 * Makes the next attempt ready: evaluates `with` and hands the task to the queue. A wrong expression fails the attempt
 * here, without a lease. False when the task has ended by that.
 */
export function beginAttempt(transition: Transition, index: number, random: number, replacement?: string): boolean {
  const plan = transition.plan.tasks[index]
  if (!plan) return true
  const attempt = transition.task(index).attempt + 1
  const first = attempt === 1
  try {
    const input = replacement ?? inputOf(transition, plan, attempt)
    const limits = limitsOf(transition, plan, attempt)
    if (first && plan.totalTimeoutMs !== undefined) {
      transition.addTimer({ kind: 'total-timeout', taskIndex: index, delayMs: plan.totalTimeoutMs })
    }
    if (beginWaiting(transition, plan, attempt, input ?? plan.staticInput ?? 'null'))
      return !hasEnded(transition, index)
    transition.moveTask(index, 'queued', { attempt, ...limits, ...(input === undefined ? {} : { input }) })
    if (plan.queueTimeoutMs !== undefined) {
      transition.addTimer({ kind: 'queue-timeout', taskIndex: index, delayMs: plan.queueTimeoutMs })
    }
    return true
  } catch (error) {
    return !failBeforeLease(
      transition,
      index,
      plan.uses === 'map' ? itemsFailure(error) : expressionFailure(error),
      random,
    )
  }
}

const hasEnded = (transition: Transition, index: number): boolean => taskHasEnded(transition.task(index).status)

/** As JSON text, when it had expressions. */
function inputOf(transition: Transition, plan: PlanTask, attempt: number): string | undefined {
  if (!plan.with.hasExpressions) return undefined
  return resolveInput(plan.with, transition.scope(plan.with, plan.index, attempt))
}

/** Resolved anew for each attempt, in the same decision as `with`. */
function limitsOf(transition: Transition, plan: PlanTask, attempt: number): { limits?: readonly TaskLimit[] } {
  if (!plan.limits) return {}
  const own = { workflow: transition.state.workflow, task: plan.key }
  return { limits: resolveLimits(plan.limits, own, (key) => transition.scope(key, plan.index, attempt)) }
}

function expressionFailure(error: unknown): Failure {
  if (error instanceof ExpressionError) return failure('expression', error.message, 'expression')
  throw error
}

/** No list in an expression is longer than a map may be: of that the map has its own error. */
function itemsFailure(error: unknown): Failure {
  return error instanceof ExpressionError && error.code === 'list_too_long'
    ? tooManyItems(error.message)
    : expressionFailure(error)
}

/** True when the task has finally failed. */
function failBeforeLease(transition: Transition, index: number, error: Failure, random: number): boolean {
  return settleFailure(transition, index, error, random, { attempt: transition.task(index).attempt + 1 })
}

/** Ends the run when no task is open; one that ends badly when its compensations have ended, too. */
export function completeRun(transition: Transition): void {
  if (transition.open > 0 || runHasEnded(transition.status)) return
  const end = badEnd(transition)
  if (end) endBadly(transition, end)
  else orPostpone(transition, () => succeedRun(transition))
}

interface RunEnd {
  status: RunStatus
  reason?: string
  error?: RunFailure | null
}

/** How the run ends, unless its tasks have done all that they were to do. */
function badEnd(transition: Transition): RunEnd | undefined {
  // What was stopped and retries its compensations is not `cancelling` any more.
  const stopped = transition.tasks.some(({ status }, i) => status === 'cancelled' && !isCompensation(transition, i))
  if (stopped || transition.status === 'cancelling') {
    if (transition.reason !== 'timeout') return { status: 'cancelled' }
    return { status: 'failed', error: failure('run_timeout', 'the run took longer than its timeout', 'timeout') }
  }
  const failedIndex = transition.tasks.findIndex(
    (task, i) => task.status === 'failed' && transition.plan.tasks[i]?.onFailure === 'stop',
  )
  if (failedIndex < 0) return undefined
  const { error } = transition.task(failedIndex)
  const task = transition.plan.tasks[failedIndex]?.key ?? ''
  return { status: 'failed', reason: 'task_failed', error: error && { ...error, task } }
}

function endBadly(transition: Transition, { status, ...fields }: RunEnd): void {
  compensate(transition)
  if (openCompensations(transition).length === 0) transition.moveRun(status, { ended: true, ...fields })
}

/** One pass is enough: each compensation stands after those that it needs. */
function compensate(transition: Transition): void {
  for (const { index, compensates, needs } of openCompensations(transition)) {
    if (compensates === undefined || transition.task(index).status !== 'pending') continue
    // Also where there is nothing to undo: what is upstream still waits for what is downstream.
    if (!needs.every((need) => hasEnded(transition, need))) continue
    if (!isToBeUndone(transition, compensates)) transition.moveTask(index, 'skipped')
    else if (transition.isFull) transition.postpone()
    else orPostpone(transition, () => beginAttempt(transition, index, 0))
  }
}

function succeedRun(transition: Transition): void {
  let output: unknown
  try {
    const { output: template } = transition.plan
    output = template?.evaluate(transition.scope(template, null, 0))
  } catch (error) {
    endBadly(transition, { status: 'failed', reason: 'output', error: expressionFailure(error) })
    return
  }
  for (const { index } of openCompensations(transition)) transition.moveTask(index, 'skipped')
  transition.moveRun('succeeded', { ended: true, output: output === undefined ? null : JSON.stringify(output) })
}
