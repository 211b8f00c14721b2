import { assertNever } from '@millrace/errors'
import { advance, advanceAll, beginAttempt } from './advance.js'
import { decideApproval, receiveSignal, taskTimedOut, wakeTask } from './answers.js'
import { endUnstopped, stopRun } from './cancel.js'
import { decideChild, isChildCommand } from './child-answers.js'
import type {
  Command,
  ExpireCommand,
  FailCommand,
  RetryDueCommand,
  SucceedCommand,
  TaskTimerCommand,
} from './commands.js'
import { isStopped } from './compensation.js'
import type { Effects } from './effects.js'
import type { EnginePlan } from './engine-plan.js'
import { admitRun, isBlocked } from './limits/run-admission.js'
import { mapEnded } from './map-end.js'
import { pauseRun, resumeRun } from './pause.js'
import { retryRun } from './retry.js'
import { runHasEnded } from './run-state.js'
import { settleFailure } from './settle.js'
import { start, startDue } from './start.js'
import type { RunState } from './state.js'
import { taskIsLive } from './task-state.js'
import { Transition } from './transition.js'

export interface Decision {
  readonly state: RunState
  readonly effects: Effects
}

/**
 * All of the engine's judgement: what a run becomes when these commands reach it, and what follows.
 * No clock, no I/O, no chance: delays are returned, randomness comes with the command.
 * Throws NeedsExactState when a state from the cache cannot answer.
 */
export function decide(state: RunState, commands: readonly Command[], plan: EnginePlan): Decision {
  const transition = new Transition(state, plan)
  for (const command of commands) apply(transition, command)
  return transition.finish()
}

const runControl = { admit: admitRun, pause: pauseRun, resume: resumeRun }

function apply(transition: Transition, command: Command): void {
  // Whatever comes of it, the row that brought the command has done its work.
  if ('timerId' in command && command.timerId !== undefined) transition.timerFired(command.timerId)
  // An item is no part of its run's state.
  if (command.kind === 'end-item' || isOutdated(transition, command)) return
  if ('inboxId' in command && command.inboxId !== undefined) transition.inboxRead(command.inboxId)
  if (isChildCommand(command)) {
    decideChild(transition, command)
    return
  }
  switch (command.kind) {
    case 'start':
      start(transition, command)
      break
    case 'start-due':
      startDue(transition)
      break
    case 'admit':
    case 'pause':
    case 'resume':
      runControl[command.kind](transition)
      break
    case 'retry':
      retryRun(transition, command)
      break
    case 'succeed':
      succeed(transition, command)
      break
    case 'fail':
      fail(transition, command, { guard: command.lease })
      break
    case 'expire':
      fail(transition, command, { guard: command.lease, fence: true, final: command.final })
      break
    case 'retry-due':
      retryDue(transition, command)
      break
    case 'cancel':
    case 'run-timeout':
      stopRun(transition, command.kind === 'cancel' ? command.reason : 'timeout')
      break
    case 'cancel-deadline':
      endUnstopped(transition)
      break
    case 'signal':
      if (!runHasEnded(transition.status)) receiveSignal(transition, command)
      break
    case 'approval':
      decideApproval(transition, command)
      break
    case 'wake':
    case 'task-timeout':
    case 'queue-timeout':
    case 'total-timeout':
      taskTimer(transition, command)
      break
    case 'map-ended':
      mapEnded(transition, command)
      break
    case 'advance':
      recheck(transition)
      break
    default:
      assertNever(command)
  }
}

/** What was put off begins only where the run still is as it was then. */
function recheck(transition: Transition): void {
  if (transition.started || transition.status === 'cancelling') advanceAll(transition, 0)
}

/**
 * A timer of one attempt in the batch of what ended that attempt. (Whether its row still stands, the statement finds out.)
 * The time that all attempts have together goes on.
 */
function isOutdated(transition: Transition, command: Command): boolean {
  const { kind } = command
  const ofAttempt = kind === 'retry-due' || kind === 'wake' || kind === 'task-timeout' || kind === 'queue-timeout'
  return ofAttempt && transition.hasMoved(transition.indexOf(command.taskId))
}

function taskTimer(transition: Transition, command: TaskTimerCommand): void {
  if (runHasEnded(transition.status) || isStopped(transition, transition.indexOf(command.taskId))) return
  if (command.kind === 'wake') wakeTask(transition, command)
  else if (command.kind === 'task-timeout') taskTimedOut(transition, command, 'task')
  else taskTimedOut(transition, command, command.kind === 'queue-timeout' ? 'queue' : 'total')
}

/** Live, so that a report can mean it. The lease itself is checked where the row is. */
function reportable(transition: Transition, taskId: string): number {
  const index = transition.indexOf(taskId)
  return index >= 0 && taskIsLive(transition.task(index).status) ? index : -1
}

function succeed(transition: Transition, command: SucceedCommand): void {
  const index = reportable(transition, command.taskId)
  if (index < 0) return
  if (isStopped(transition, index)) {
    transition.moveTask(index, 'cancelled', { guard: command.lease })
  } else {
    const named = transition.plan.namedOutputs.has(index)
    transition.moveTask(index, 'succeeded', {
      guard: command.lease,
      output: command.output,
      ...(command.artifact ? { artifact: command.artifact } : {}),
      error: null,
      ...(named && command.output !== null ? { parsedOutput: JSON.parse(command.output) } : {}),
    })
  }
  advance(transition, [index], 0)
}

function fail(
  transition: Transition,
  command: FailCommand | ExpireCommand,
  proof: { guard: FailCommand['lease']; fence?: boolean; final?: boolean },
): void {
  const index = reportable(transition, command.taskId)
  if (index < 0) return
  if (isStopped(transition, index)) {
    transition.moveTask(index, 'cancelled', { ...proof, error: command.error })
    advance(transition, [index], command.random)
  } else if (settleFailure(transition, index, command.error, command.random, { ...proof, ...waitOf(command) })) {
    advance(transition, [index], command.random)
  }
}

const waitOf = (command: FailCommand | ExpireCommand): Pick<FailCommand, 'retryAfterMs'> =>
  command.kind === 'fail' && command.retryAfterMs !== undefined ? { retryAfterMs: command.retryAfterMs } : {}

function retryDue(transition: Transition, command: RetryDueCommand): void {
  const index = transition.indexOf(command.taskId)
  if (index < 0 || transition.task(index).status !== 'delayed' || runHasEnded(transition.status)) return
  // A paused run takes up all its retries when it is resumed.
  if (isBlocked(transition.status)) return
  if (!beginAttempt(transition, index, 0)) advance(transition, [index], 0)
}
