import { type ErrorClass, isErrorClass } from '@millrace/definition'
import { advance } from './advance.js'
import { askForChild } from './child-run.js'
import type {
  ChildEndedCommand,
  ChildHeldCommand,
  ChildRefusedCommand,
  ChildStartedCommand,
  Command,
} from './commands.js'
import type { Draft } from './draft.js'
import { type Failure, failure } from './failure.js'
import { runHasEnded } from './run-state.js'
import { settleFailure } from './settle.js'
import { endWaiting } from './waiting.js'

type ChildNews = ChildStartedCommand | ChildRefusedCommand | ChildHeldCommand | ChildEndedCommand

export const isChildNews = (command: Command): command is ChildNews => command.kind.startsWith('child-')

export function childNews(draft: Draft, command: ChildNews): void {
  if (runHasEnded(draft.status) || draft.status === 'cancelling') return
  if (command.kind === 'child-started') childStarted(draft, command)
  else if (command.kind === 'child-refused') childRefused(draft, command)
  else if (command.kind === 'child-held') childHeld(draft, command)
  else childEnded(draft, command)
}

/** The index of a task that waits for the child of this attempt; -1 when that is over. */
function awaiting(draft: Draft, command: { taskId: string; attempt: number }): number {
  const index = draft.indexOf(command.taskId)
  if (index < 0 || draft.plan.tasks[index]?.uses !== 'workflow') return -1
  const task = draft.task(index)
  return task.status === 'waiting' && task.attempt === command.attempt ? index : -1
}

function childStarted(draft: Draft, command: ChildStartedCommand): void {
  const index = awaiting(draft, command)
  if (index >= 0) draft.recordChild(index, command.childRunId)
}

function childRefused(draft: Draft, command: ChildRefusedCommand): void {
  const index = awaiting(draft, command)
  if (index < 0) return
  failTask(draft, index, command.error, command.random)
}

/** The run was paused when the call came due: resuming asks again. */
function childHeld(draft: Draft, command: ChildHeldCommand): void {
  const index = awaiting(draft, command)
  if (index >= 0 && draft.status !== 'paused') askForChild(draft, index)
}

function childEnded(draft: Draft, command: ChildEndedCommand): void {
  const index = awaiting(draft, command)
  if (index < 0) return
  draft.childIsOver(index)
  if (command.status === 'succeeded') {
    endWaiting(draft, index, command.output ?? 'null')
    advance(draft, [index], 0)
    return
  }
  failTask(draft, index, failureOf(command), command.random)
}

function failTask(draft: Draft, index: number, error: Failure, random: number): void {
  draft.childIsOver(index)
  const ended = settleFailure(draft, index, error, random)
  draft.dropTaskTimers(index, { keepTotal: !ended })
  if (ended) advance(draft, [index], random)
}

function failureOf({ childRunId: id, workflow, status, error }: ChildEndedCommand): Failure {
  if (status === 'cancelled') {
    return failure('child_cancelled', `the child run ${id} of ${workflow} was cancelled`, 'cancelled')
  }
  const why = error ? `: ${error.message}` : ''
  const errorClass: ErrorClass = error && isErrorClass(error.class) ? error.class : 'user'
  const message = `the child run ${id} of ${workflow} failed${why}`.slice(0, 8192)
  return failure('child_failed', message, errorClass, error?.retryable ?? true)
}
