import { assertNever } from '@millrace/errors'
import { advance, advanceAll, beginAttempt } from './advance.js'
import { decideApproval, receiveSignal, taskTimedOut, wakeTask } from './answers.js'
import { endUnstopped, stopRun } from './cancel.js'
import { childNews, isChildNews } from './child-answers.js'
import type {
  Command,
  ExpireCommand,
  FailCommand,
  RetryDueCommand,
  SucceedCommand,
  TaskTimerCommand,
} from './commands.js'
import { Draft } from './draft.js'
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
  const draft = new Draft(state, plan)
  for (const command of commands) apply(draft, command)
  return draft.finish()
}

const runControl = { admit: admitRun, pause: pauseRun, resume: resumeRun }

function apply(draft: Draft, command: Command): void {
  // Whatever comes of it, the row that brought the command has done its work.
  if ('timerId' in command && command.timerId !== undefined) draft.timerFired(command.timerId)
  // An item is no part of its run's state.
  if (command.kind === 'end-item' || isOutdated(draft, command)) return
  if ('inboxId' in command && command.inboxId !== undefined) draft.inboxRead(command.inboxId)
  if (isChildNews(command)) {
    childNews(draft, command)
    return
  }
  switch (command.kind) {
    case 'start':
      start(draft, command)
      break
    case 'start-due':
      startDue(draft)
      break
    case 'admit':
    case 'pause':
    case 'resume':
      runControl[command.kind](draft)
      break
    case 'retry':
      retryRun(draft, command)
      break
    case 'succeed':
      succeed(draft, command)
      break
    case 'fail':
      fail(draft, command, { guard: command.lease })
      break
    case 'expire':
      fail(draft, command, { guard: command.lease, fence: true, final: command.final })
      break
    case 'retry-due':
      retryDue(draft, command)
      break
    case 'cancel':
    case 'run-timeout':
      stopRun(draft, command.kind === 'cancel' ? command.reason : 'timeout')
      break
    case 'cancel-deadline':
      endUnstopped(draft)
      break
    case 'signal':
      if (!runHasEnded(draft.status)) receiveSignal(draft, command)
      break
    case 'approval':
      decideApproval(draft, command)
      break
    case 'wake':
    case 'task-timeout':
    case 'queue-timeout':
    case 'total-timeout':
      taskTimer(draft, command)
      break
    case 'map-ended':
      mapEnded(draft, command)
      break
    case 'advance':
      lookAgain(draft)
      break
    default:
      assertNever(command)
  }
}

/** What was put off begins only where the run still is as it was then. */
function lookAgain(draft: Draft): void {
  if (draft.started || draft.status === 'cancelling') advanceAll(draft, 0)
}

/**
 * A timer of one attempt in the batch of what ended that attempt. (Whether its row still stands, the statement finds out.)
 * The time that all attempts have together goes on.
 */
function isOutdated(draft: Draft, command: Command): boolean {
  const { kind } = command
  const ofAttempt = kind === 'retry-due' || kind === 'wake' || kind === 'task-timeout' || kind === 'queue-timeout'
  return ofAttempt && draft.hasMoved(draft.indexOf(command.taskId))
}

function taskTimer(draft: Draft, command: TaskTimerCommand): void {
  if (runHasEnded(draft.status) || draft.status === 'cancelling') return
  if (command.kind === 'wake') wakeTask(draft, command)
  else if (command.kind === 'task-timeout') taskTimedOut(draft, command, 'task')
  else taskTimedOut(draft, command, command.kind === 'queue-timeout' ? 'queue' : 'total')
}

/** Live, so that a report can mean it. The lease itself is checked where the row is. */
function reportable(draft: Draft, taskId: string): number {
  const index = draft.indexOf(taskId)
  return index >= 0 && taskIsLive(draft.task(index).status) ? index : -1
}

function succeed(draft: Draft, command: SucceedCommand): void {
  const index = reportable(draft, command.taskId)
  if (index < 0) return
  if (draft.status === 'cancelling') {
    draft.moveTask(index, 'cancelled', { guard: command.lease })
  } else {
    const named = draft.plan.namedOutputs.has(index)
    draft.moveTask(index, 'succeeded', {
      guard: command.lease,
      output: command.output,
      ...(command.artifact ? { artifact: command.artifact } : {}),
      error: null,
      ...(named && command.output !== null ? { parsedOutput: JSON.parse(command.output) } : {}),
    })
  }
  advance(draft, [index], 0)
}

function fail(
  draft: Draft,
  command: FailCommand | ExpireCommand,
  proof: { guard: FailCommand['lease']; fence?: boolean; final?: boolean },
): void {
  const index = reportable(draft, command.taskId)
  if (index < 0) return
  if (draft.status === 'cancelling') {
    draft.moveTask(index, 'cancelled', { ...proof, error: command.error })
    advance(draft, [index], command.random)
  } else if (settleFailure(draft, index, command.error, command.random, { ...proof, ...waitOf(command) })) {
    advance(draft, [index], command.random)
  }
}

const waitOf = (command: FailCommand | ExpireCommand): Pick<FailCommand, 'retryAfterMs'> =>
  command.kind === 'fail' && command.retryAfterMs !== undefined ? { retryAfterMs: command.retryAfterMs } : {}

function retryDue(draft: Draft, command: RetryDueCommand): void {
  const index = draft.indexOf(command.taskId)
  if (index < 0 || draft.task(index).status !== 'delayed' || runHasEnded(draft.status)) return
  // A paused run takes up all its retries when it is resumed.
  if (isBlocked(draft.status)) return
  if (!beginAttempt(draft, index, 0)) advance(draft, [index], 0)
}
