import { ExpressionError, isRetryable, retryDelayMs, type Scope, type Template } from '@millrace/definition'
import type { TimerKind } from './effects.js'
import type { EnginePlan, EnginePlanChild } from './engine-plan.js'
import { type Failure, failure } from './failure.js'
import { resolveLimits } from './limits/resolve-limits.js'
import type { TaskLimit } from './limits/task-limits.js'
import { scopeOf } from './scope.js'
import type { RunState } from './state.js'
import { readInput, resolveInput } from './task-input.js'
import { longSleepMs } from './waiting.js'

/** One item of a map and the attempt at it that is to begin. */
export interface ChildAttempt {
  readonly ordinal: number
  readonly index: number
  readonly item: unknown
  readonly attempt: number
  readonly maxAttempts: number
  /** In [0, 1): the jitter of a retry. */
  readonly random: number
}

export interface ChildTimer {
  readonly kind: TimerKind
  readonly delayMs: number
}

/** What a child becomes. */
export type ChildStep =
  | {
      readonly status: 'queued' | 'waiting'
      readonly attempt: number
      readonly input?: string
      readonly limits?: readonly TaskLimit[]
      readonly timers: readonly ChildTimer[]
    }
  | SettledChild

export interface SettledChild {
  readonly status: 'delayed' | 'failed'
  readonly attempt: number
  readonly error: Failure
  /** Until the next attempt. */
  readonly delayMs: number
}

/** Makes an attempt at an item ready: its `with` is evaluated now, once, and a wrong expression fails it here. */
export function readyChild(state: RunState, plan: EnginePlan, child: ChildAttempt): ChildStep {
  const task = plan.tasks[child.ordinal]
  const planned = task?.child
  if (!planned) throw new Error(`run ${state.id} has no map ${child.ordinal}`)
  try {
    const input = planned.with.hasExpressions ? inputOf(state, plan, planned, task.key, child) : undefined
    const shown = () => readInput(task, child.index, input ?? null).input
    const sleepsMs = planned.uses === 'sleep' ? longSleepMs(shown()) : undefined
    return {
      status: sleepsMs === undefined ? 'queued' : 'waiting',
      attempt: child.attempt,
      ...(input === undefined ? {} : { input }),
      ...(planned.limits && sleepsMs === undefined ? { limits: limitsOf(state, plan, planned, task.key, child) } : {}),
      timers: timersOf(planned, child.attempt, sleepsMs),
    }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return settleChild(planned, child, failure('expression', error.message, 'expression'), false)
  }
}

function inputOf(state: RunState, plan: EnginePlan, planned: EnginePlanChild, key: string, child: ChildAttempt) {
  return resolveInput(planned.with, childScope(state, plan, planned.with, key, child))
}

function childScope(state: RunState, plan: EnginePlan, template: Template, key: string, child: ChildAttempt): Scope {
  const { index, attempt, item } = child
  const source = { state, tasks: state.tasks, plan, generation: state.generation }
  return { ...scopeOf(source, template, { key, index, attempt }), item, index }
}

function limitsOf(
  state: RunState,
  plan: EnginePlan,
  { limits = {} }: EnginePlanChild,
  key: string,
  child: ChildAttempt,
): TaskLimit[] {
  const own = { workflow: state.workflow, task: key }
  return resolveLimits(limits, own, (template) => childScope(state, plan, template, key, child))
}

function timersOf(planned: EnginePlanChild, attempt: number, sleepsMs: number | undefined): ChildTimer[] {
  const { totalTimeoutMs, queueTimeoutMs, timeoutMs } = planned
  const timers: ChildTimer[] = []
  const add = (kind: TimerKind, delayMs: number | undefined) => {
    if (delayMs !== undefined) timers.push({ kind, delayMs })
  }
  if (attempt === 1) add('total-timeout', totalTimeoutMs)
  if (sleepsMs === undefined) add('queue-timeout', queueTimeoutMs)
  else {
    add('wake', sleepsMs)
    add('task-timeout', timeoutMs)
  }
  return timers
}

/** An attempt at an item failed: the child waits for its next attempt, or finally fails. */
export function settleChild(
  planned: EnginePlanChild | undefined,
  child: Pick<ChildAttempt, 'attempt' | 'maxAttempts' | 'random'>,
  error: Failure,
  final: boolean,
  retryAfterMs?: number,
): SettledChild {
  const { attempt, maxAttempts, random } = child
  const again = planned !== undefined && !final && attempt < maxAttempts && isRetryable(error, planned.retry)
  if (!again) return { status: 'failed', attempt, error, delayMs: 0 }
  return { status: 'delayed', attempt, error, delayMs: retryDelayMs(planned.retry, attempt, random, retryAfterMs) }
}
