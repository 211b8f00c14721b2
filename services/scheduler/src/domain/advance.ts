import { EvaluationDeferred, ExpressionError, type PlanTask } from '@millrace/definition'
import type { Draft } from './draft.js'
import { type Failure, failure } from './failure.js'
import { resolveLimits } from './limits/resolve-limits.js'
import type { TaskLimit } from './limits/task-limits.js'
import { tooManyItems } from './map-task.js'
import { acceptsFailure, readiness } from './readiness.js'
import { runHasEnded } from './run-state.js'
import { settleFailure } from './settle.js'
import { resolveInput } from './task-input.js'
import { taskHasEnded } from './task-state.js'
import { beginWaiting } from './waiting.js'

/** Moves on everything that may move once the tasks in `ended` have ended; ends the run with its last task. */
export function advance(draft: Draft, ended: readonly number[], random: number): void {
  if (runHasEnded(draft.status)) return
  const look = new Set<number>()
  const enqueue = (index: number) => {
    for (const dependent of draft.plan.tasks[index]?.dependents ?? []) look.add(dependent)
  }
  for (const index of ended) enqueue(index)
  for (const index of look) {
    // A Set is iterated in order of insertion and sees what is added meanwhile; a task is looked at again after removal.
    look.delete(index)
    if (tryBeginOrPostpone(draft, index, random)) enqueue(index)
  }
  if (draft.takeFullLook()) advanceAll(draft, random)
  else completeRun(draft)
}

/** Looks at every pending task, as at a run's creation; then as `advance`. */
export function advanceAll(draft: Draft, random: number): void {
  draft.takeFullLook()
  const skipped: number[] = []
  for (const { index } of draft.plan.tasks) {
    if (tryBeginOrPostpone(draft, index, random)) skipped.push(index)
  }
  advance(draft, skipped, random)
}

/** As `tryBegin`; what does not fit into this decision any more stays pending. */
function tryBeginOrPostpone(draft: Draft, index: number, random: number): boolean {
  return orPostpone(draft, () => tryBegin(draft, index, random)) ?? false
}

/** Expressions are evaluated before a task is touched, so that one which is put off has left no trace. */
export function orPostpone<T>(draft: Draft, begin: () => T): T | undefined {
  try {
    return begin()
  } catch (error) {
    if (!(error instanceof EvaluationDeferred)) throw error
    draft.postpone()
    return undefined
  }
}

/** Begins, skips or fails a pending task if its needs allow; true when it has ended by that. */
function tryBegin(draft: Draft, index: number, random: number): boolean {
  const plan = draft.plan.tasks[index]
  if (!plan || draft.task(index).status !== 'pending' || draft.status === 'cancelling') return false
  const verdict =
    draft.stopping && !acceptsFailure(plan.when)
      ? 'skip'
      : readiness(
          plan.when,
          plan.needs.map((need) => draft.task(need).status),
        )
  if (verdict === 'wait') return false
  if (draft.isFull) {
    draft.postpone()
    return false
  }
  if (verdict === 'skip' || !conditionHolds(draft, plan)) {
    if (draft.task(index).status === 'pending') draft.moveTask(index, 'skipped')
    return true
  }
  return !beginAttempt(draft, index, random)
}

function conditionHolds(draft: Draft, plan: PlanTask): boolean {
  if (!plan.if) return true
  try {
    const value = plan.if.evaluate(draft.scope(plan.if, plan.index, 1))
    if (typeof value === 'boolean') return value
    failBeforeLease(draft, plan.index, failure('if_not_boolean', '`if` did not give true or false', 'expression'), 0)
    return false
  } catch (error) {
    failBeforeLease(draft, plan.index, expressionFailure(error), 0)
    return false
  }
}

/**
 * Makes the next attempt ready: evaluates `with` and hands the task to the queue. A wrong expression fails the attempt
 * here, without a lease. False when the task has ended by that.
 */
export function beginAttempt(draft: Draft, index: number, random: number, replacement?: string): boolean {
  const plan = draft.plan.tasks[index]
  if (!plan) return true
  const attempt = draft.task(index).attempt + 1
  const first = attempt === 1
  try {
    const input = replacement ?? inputOf(draft, plan, attempt)
    const limits = limitsOf(draft, plan, attempt)
    if (first && plan.totalTimeoutMs !== undefined) {
      draft.addTimer({ kind: 'total-timeout', taskIndex: index, delayMs: plan.totalTimeoutMs })
    }
    if (beginWaiting(draft, plan, attempt, input ?? plan.staticInput ?? 'null')) return !hasEnded(draft, index)
    draft.moveTask(index, 'queued', { attempt, ...limits, ...(input === undefined ? {} : { input }) })
    if (plan.queueTimeoutMs !== undefined) {
      draft.addTimer({ kind: 'queue-timeout', taskIndex: index, delayMs: plan.queueTimeoutMs })
    }
    return true
  } catch (error) {
    return !failBeforeLease(draft, index, plan.uses === 'map' ? itemsFailure(error) : expressionFailure(error), random)
  }
}

const hasEnded = (draft: Draft, index: number): boolean => taskHasEnded(draft.task(index).status)

/** As JSON text, when it had expressions. */
function inputOf(draft: Draft, plan: PlanTask, attempt: number): string | undefined {
  if (!plan.with.hasExpressions) return undefined
  return resolveInput(plan.with, draft.scope(plan.with, plan.index, attempt))
}

/** Resolved anew for each attempt, in the same decision as `with`. */
function limitsOf(draft: Draft, plan: PlanTask, attempt: number): { limits?: readonly TaskLimit[] } {
  if (!plan.limits) return {}
  const own = { workflow: draft.state.workflow, task: plan.key }
  return { limits: resolveLimits(plan.limits, own, (key) => draft.scope(key, plan.index, attempt)) }
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
function failBeforeLease(draft: Draft, index: number, error: Failure, random: number): boolean {
  return settleFailure(draft, index, error, random, { attempt: draft.task(index).attempt + 1 })
}

/** Ends the run when no task is open. */
export function completeRun(draft: Draft): void {
  if (draft.open > 0 || runHasEnded(draft.status)) return
  if (draft.status === 'cancelling') {
    const timedOut = draft.reason === 'timeout'
    draft.moveRun(timedOut ? 'failed' : 'cancelled', {
      ended: true,
      ...(timedOut ? { error: failure('run_timeout', 'the run took longer than its timeout', 'timeout') } : {}),
    })
    return
  }
  const failedIndex = draft.tasks.findIndex(
    (task, i) => task.status === 'failed' && draft.plan.tasks[i]?.onFailure === 'stop',
  )
  if (failedIndex >= 0) {
    const { error } = draft.task(failedIndex)
    const task = draft.plan.tasks[failedIndex]?.key ?? ''
    draft.moveRun('failed', { ended: true, reason: 'task_failed', error: error && { ...error, task } })
    return
  }
  orPostpone(draft, () => succeedRun(draft))
}

function succeedRun(draft: Draft): void {
  try {
    const { output: template } = draft.plan
    const output = template?.evaluate(draft.scope(template, null, 0))
    draft.moveRun('succeeded', { ended: true, output: output === undefined ? null : JSON.stringify(output) })
  } catch (error) {
    draft.moveRun('failed', { ended: true, reason: 'output', error: expressionFailure(error) })
  }
}
