import { ExpressionError, isRetryable, retryDelayMs, type Scope, type Template } from '@millrace/definition'
import type { MapEnding, TimerKind } from './effects.js'
import type { EnginePlan, EnginePlanChild } from './engine-plan.js'
import { type Failure, failure } from './failure.js'
import { resolveLimits } from './limits/resolve-limits.js'
import type { TaskLimit } from './limits/task-limits.js'
import { scopeOf } from './scope.js'
import type { RunState } from './state.js'
import { readInput, resolveInput } from './task-input.js'
import type { TaskStatus } from './task-state.js'
import { longSleepMs } from './waiting.js'

/** An item of a map as its row has it, and how its map stands. It is no part of its run's state. */
export interface ItemState {
  readonly id: string
  readonly runId: string
  /** Of its map in the plan. */
  readonly ordinal: number
  readonly index: number
  readonly status: TaskStatus
  readonly attempt: number
  readonly maxAttempts: number
  readonly error: Failure | null
  /** Why no further item of the map begins. */
  readonly ending: MapEnding | null
  readonly paused: boolean
  /** All items of the map had ended. */
  readonly closed: boolean
  /** The map was cancelled, or out of time, so long ago that what still runs ends without its holder. */
  readonly late: boolean
}

/** One item of a map and the attempt at it that is to begin. */
export interface ItemAttempt {
  readonly ordinal: number
  readonly index: number
  readonly item: unknown
  readonly attempt: number
  readonly maxAttempts: number
  /** In [0, 1): the jitter of a retry. */
  readonly random: number
}

export interface ItemTimer {
  readonly kind: TimerKind
  readonly delayMs: number
}

/** What an attempt becomes that is to begin. */
export type ItemStep =
  | {
      readonly status: 'queued' | 'waiting'
      readonly attempt: number
      readonly input?: string
      readonly limits?: readonly TaskLimit[]
      readonly timers: readonly ItemTimer[]
    }
  | SettledItem

/** What becomes of an item by an attempt that failed. */
export interface SettledItem {
  readonly status: 'delayed' | 'failed'
  readonly attempt: number
  readonly error: Failure
  /** Until the next attempt. */
  readonly delayMs: number
}

/** Makes an attempt at an item ready: its `with` is evaluated now, once, and a wrong expression fails it here. */
export function readyItem(state: RunState, plan: EnginePlan, one: ItemAttempt): ItemStep {
  const task = plan.tasks[one.ordinal]
  const planned = task?.child
  if (!planned) throw new Error(`run ${state.id} has no map ${one.ordinal}`)
  try {
    const input = planned.with.hasExpressions ? inputOf(state, plan, planned, task.key, one) : undefined
    const shown = () => readInput(task, one.index, input ?? null).input
    const sleepsMs = planned.uses === 'sleep' ? longSleepMs(shown()) : undefined
    return {
      status: sleepsMs === undefined ? 'queued' : 'waiting',
      attempt: one.attempt,
      ...(input === undefined ? {} : { input }),
      ...(planned.limits && sleepsMs === undefined ? { limits: limitsOf(state, plan, planned, task.key, one) } : {}),
      timers: timersOf(planned, one.attempt, sleepsMs),
    }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return settleItem(planned, one, failure('expression', error.message, 'expression'))
  }
}

function inputOf(state: RunState, plan: EnginePlan, planned: EnginePlanChild, key: string, one: ItemAttempt) {
  return resolveInput(planned.with, itemScope(state, plan, planned.with, key, one))
}

function itemScope(state: RunState, plan: EnginePlan, template: Template, key: string, one: ItemAttempt): Scope {
  const { index, attempt, item } = one
  const source = { state, tasks: state.tasks, plan, generation: state.generation }
  return { ...scopeOf(source, template, { key, index, attempt }), item, index }
}

function limitsOf(
  state: RunState,
  plan: EnginePlan,
  { limits = {} }: EnginePlanChild,
  key: string,
  one: ItemAttempt,
): TaskLimit[] {
  const own = { workflow: state.workflow, task: key }
  return resolveLimits(limits, own, (template) => itemScope(state, plan, template, key, one))
}

function timersOf(planned: EnginePlanChild, attempt: number, sleepsMs: number | undefined): ItemTimer[] {
  const { totalTimeoutMs, queueTimeoutMs, timeoutMs } = planned
  const timers: ItemTimer[] = []
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

/** An attempt at an item failed: the item waits for its next attempt, or finally fails. */
export function settleItem(
  planned: EnginePlanChild | undefined,
  one: Pick<ItemAttempt, 'attempt' | 'maxAttempts' | 'random'>,
  error: Failure,
  { final = false, retryAfterMs }: { final?: boolean; retryAfterMs?: number | undefined } = {},
): SettledItem {
  const { attempt, maxAttempts, random } = one
  const again = planned !== undefined && !final && attempt < maxAttempts && isRetryable(error, planned.retry)
  if (!again) return { status: 'failed', attempt, error, delayMs: 0 }
  return { status: 'delayed', attempt, error, delayMs: retryDelayMs(planned.retry, attempt, random, retryAfterMs) }
}
