import type { Command, LeaseProof, SucceedCommand } from './commands.js'
import type { DroppedTimers } from './effects.js'
import type { EnginePlan } from './engine-plan.js'
import { type Failure, failure } from './failure.js'
import type { OutputArtifact } from './large-output.js'
import type { TaskLimit } from './limits/task-limits.js'
import { type ItemState, type ItemTimer, readyItem, type SettledItem, settleItem } from './map-item.js'
import { hasDeadLetter, hasTimers } from './settle.js'
import type { RunState } from './state.js'
import { readInput } from './task-input.js'
import { assertTaskTransition, type TaskStatus, taskHasEnded } from './task-state.js'
import { sleepMs } from './waiting.js'

/** What a decision may need to know beside the item's row. */
export interface ItemFacts {
  /** The item's run, as it was when the map was opened or later: what an item may see of it had happened by then. */
  readonly state: RunState
  readonly plan: EnginePlan
  /** In [0, 1): the jitter of a retry that no command brings. */
  readonly random: number
  /** The item itself, where an attempt begins. */
  readonly value?: unknown
  /** The stored `with`, where a wait ends. */
  readonly input?: string | null
}

/** What becomes of an item, and what the statement that writes it has to find. */
export interface ItemDecision {
  readonly expected: { readonly status: TaskStatus } & Pick<ItemState, 'ending'> & {
      /** Undefined: either way. */
      readonly paused?: boolean
    }
  readonly status: TaskStatus
  /** Undefined: as it is. */
  readonly attempt?: number
  readonly error: Failure | null
  readonly attemptFailed?: boolean
  readonly deadLetter?: boolean
  /** JSON text. */
  readonly output?: string | null
  readonly artifact?: OutputArtifact
  readonly input?: string
  readonly limits?: readonly TaskLimit[]
  /** The lease under which the row must be running. */
  readonly guard?: LeaseProof
  readonly fence?: boolean
  /** Whoever holds it is to be asked to stop. */
  readonly stops?: boolean
  readonly timers: readonly ItemTimer[]
  readonly dropsTimers?: Pick<DroppedTimers, 'keepTotal'>
}

/** A report of success needs no look at the row: the statement finds out whether it was as it is taken to be. */
export function succeedUnseen({ output, artifact, lease: guard }: SucceedCommand): ItemDecision {
  return {
    expected: { status: 'running', ending: null },
    ...{ status: 'succeeded', error: null, output, guard, timers: [] },
    ...(artifact ? { artifact } : {}),
  }
}

type Step = Omit<ItemDecision, 'expected'>

/**
 * What a command makes of an item: the judgement of `decide` for what is no part of a run's state, on the same table of
 * transitions. Undefined when there is nothing left to do. Facts may be absent for a timeout.
 */
export function decideItem(item: ItemState, command: Command, facts: ItemFacts | undefined): ItemDecision | undefined {
  const step = stepOf(item, command, facts)
  if (!step) return undefined
  const { ending, paused } = item
  const final = underMap(item, step)
  assertTaskTransition(item.id, item.status, final.status)
  const begins = final.status === 'queued' || final.status === 'waiting'
  const expected = { status: item.status, ending, ...(begins || final.status === 'delayed' ? { paused } : {}) }
  return { ...final, expected }
}

function stepOf(item: ItemState, command: Command, facts: ItemFacts | undefined): Step | undefined {
  const { status } = item
  switch (command.kind) {
    case 'succeed':
      return succeedUnseen(command)
    case 'fail':
    case 'expire':
      return failRunning(item, command, facts)
    case 'retry-due':
      return status === 'delayed' && !isHeld(item) ? beginAgain(item, facts) : undefined
    case 'wake':
      return status === 'waiting' ? wake(item, facts) : undefined
    case 'task-timeout':
      return status === 'waiting' ? outOfTime(item, 'task_timeout', 'it took too long') : undefined
    case 'queue-timeout':
      return status === 'queued' ? outOfTime(item, 'queue_timeout', 'no worker took the task in time') : undefined
    case 'total-timeout':
      if (taskHasEnded(status)) return undefined
      return outOfTime(item, 'total_timeout', 'all attempts together took longer than the task may')
    case 'end-item':
      return endOpen(item)
    default:
      return undefined
  }
}

/** Ended with its map: at once unless it runs; what runs may finish, or is left to its holder for a while. */
function endOpen({ status, ending, late, error }: ItemState): Step | undefined {
  if (ending === null || taskHasEnded(status) || (status === 'running' && !late)) return undefined
  const end = { status: ending === 'stop' ? 'skipped' : 'cancelled', error, timers: [] } as const
  return { ...end, dropsTimers: { keepTotal: false }, fence: status === 'running' }
}

/** Nothing of its map may begin now. */
const isHeld = ({ paused, ending, closed }: ItemState): boolean => paused || ending !== null || closed

/** What a map that is ending or paused makes of it. A harder end than `stop` cancels, whatever the holder says. */
function underMap({ ending, paused, error }: ItemState, step: Step): Step {
  if (ending !== null && ending !== 'stop') return cancelled(step, error)
  if (ending === 'stop' && step.status === 'delayed' && step.error) return finallyFailed(step, step.error)
  // A paused map takes up all its retries when it is resumed.
  return paused && step.status === 'delayed' ? { ...step, timers: [] } : step
}

function cancelled(
  { output: _output, artifact: _artifact, deadLetter: _letter, ...step }: Step,
  before: Failure | null,
): Step {
  const drops = step.dropsTimers ? { dropsTimers: { keepTotal: false } } : {}
  return { ...step, status: 'cancelled', error: step.error ?? before, timers: [], ...drops }
}

const finallyFailed = (step: Step, error: Failure): Step => ({
  ...step,
  ...{ status: 'failed', deadLetter: hasDeadLetter(error), timers: [] },
  ...(step.dropsTimers ? { dropsTimers: { keepTotal: false } } : {}),
})

function failRunning(
  { ordinal, attempt, maxAttempts }: ItemState,
  command: Extract<Command, { kind: 'fail' | 'expire' }>,
  facts: ItemFacts | undefined,
): Step {
  const planned = facts?.plan.tasks[ordinal]?.child
  const { lease: guard, error, random } = command
  const options = command.kind === 'fail' ? { retryAfterMs: command.retryAfterMs } : { final: command.final }
  const settled = settleItem(planned, { attempt, maxAttempts, random }, error, options)
  return { ...failedStep(settled, hasTimers(planned)), guard, ...(command.kind === 'expire' ? { fence: true } : {}) }
}

function failedStep({ status, attempt, error, delayMs }: SettledItem, hasOwnTimers: boolean): Step {
  const again = status === 'delayed'
  return {
    ...{ status, attempt, error, attemptFailed: true, deadLetter: !again && hasDeadLetter(error) },
    timers: again ? [{ kind: 'retry', delayMs }] : [],
    ...(hasOwnTimers ? { dropsTimers: { keepTotal: again } } : {}),
  }
}

function beginAgain(item: ItemState, facts: ItemFacts | undefined): Step {
  if (!facts) throw new Error(`nothing is known of the run of item ${item.id}`)
  const { state, plan, random, value } = facts
  const attempt = { ...item, attempt: item.attempt + 1, item: value, random }
  const step = readyItem(state, plan, attempt)
  return 'error' in step ? failedStep(step, hasTimers(plan.tasks[item.ordinal]?.child)) : { ...step, error: item.error }
}

function wake({ ordinal, index }: ItemState, facts: ItemFacts | undefined): Step {
  const { input } = readInput(facts?.plan.tasks[ordinal], index, facts?.input ?? null)
  const output = JSON.stringify({ sleptMs: sleepMs(input) ?? 0 })
  return { status: 'succeeded', error: null, output, timers: [], dropsTimers: { keepTotal: false } }
}

/** Finally failed, wherever it stands. */
function outOfTime({ status, attempt }: ItemState, code: string, message: string): Step {
  const settled = { status: 'failed', attempt, error: failure(code, message, 'timeout'), delayMs: 0 } as const
  return { ...failedStep(settled, true), ...(status === 'running' ? { fence: true, stops: true } : {}) }
}
