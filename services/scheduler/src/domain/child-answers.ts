import { type ErrorClass, isErrorClass } from '@millrace/definition'
import { advance, completeRun } from './advance.js'
import { askForChild } from './child-run.js'
import type {
  ChildEndedCommand,
  ChildHeldCommand,
  ChildRefusedCommand,
  ChildStartedCommand,
  Command,
} from './commands.js'
import { isStopped } from './compensation.js'
import { type Failure, failure } from './failure.js'
import { runHasEnded } from './run-state.js'
import { settleFailure } from './settle.js'
import type { Transition } from './transition.js'
import { endWaiting } from './waiting.js'

type ChildCommand = ChildStartedCommand | ChildRefusedCommand | ChildHeldCommand | ChildEndedCommand

export const isChildCommand = (command: Command): command is ChildCommand => command.kind.startsWith('child-')

export function decideChild(transition: Transition, command: ChildCommand): void {
  if (runHasEnded(transition.status)) return
  if (isStopped(transition, transition.indexOf(command.taskId))) {
    if (command.kind === 'child-ended') stoppedChildEnded(transition, command)
  } else if (command.kind === 'child-started') childStarted(transition, command)
  else if (command.kind === 'child-refused') childRefused(transition, command)
  else if (command.kind === 'child-held') childHeld(transition, command)
  else childEnded(transition, command)
}

/** The index of a task that waits for the child of this attempt; -1 when that is over. */
function awaiting(transition: Transition, command: { taskId: string; attempt: number }): number {
  const index = transition.indexOf(command.taskId)
  if (index < 0 || transition.plan.tasks[index]?.uses !== 'workflow') return -1
  const task = transition.task(index)
  return task.status === 'waiting' && task.attempt === command.attempt ? index : -1
}

function childStarted(transition: Transition, command: ChildStartedCommand): void {
  const index = awaiting(transition, command)
  if (index >= 0) transition.recordChild(index, command.childRunId)
}

function childRefused(transition: Transition, command: ChildRefusedCommand): void {
  const index = awaiting(transition, command)
  if (index < 0) return
  failTask(transition, index, command.error, command.random)
}

/** The run was paused when the call came due: resuming asks again. */
function childHeld(transition: Transition, command: ChildHeldCommand): void {
  const index = awaiting(transition, command)
  if (index >= 0 && transition.status !== 'paused') askForChild(transition, index)
}

function childEnded(transition: Transition, command: ChildEndedCommand): void {
  const index = awaiting(transition, command)
  if (index < 0) return
  transition.childIsOver(index)
  if (command.status === 'succeeded') {
    endWaiting(transition, index, command.output ?? 'null')
    advance(transition, [index], 0)
    return
  }
  failTask(transition, index, failureOf(command), command.random)
}

/** What a child did that succeeded all the same is known, so that the task's compensation undoes it. */
function stoppedChildEnded(transition: Transition, command: ChildEndedCommand): void {
  const index = awaiting(transition, command)
  if (index < 0) return
  transition.childIsOver(index)
  if (command.status === 'succeeded') endWaiting(transition, index, command.output ?? 'null')
  else {
    transition.moveTask(index, 'cancelled', command.status === 'failed' ? { error: failureOf(command) } : {})
    transition.dropTaskTimers(index)
  }
  completeRun(transition)
}

function failTask(transition: Transition, index: number, error: Failure, random: number): void {
  transition.childIsOver(index)
  const ended = settleFailure(transition, index, error, random)
  transition.dropTaskTimers(index, { keepTotal: !ended })
  if (ended) advance(transition, [index], random)
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
