import { advance } from './advance.js'
import type { ApprovalCommand, SignalCommand, TaskTimerCommand } from './commands.js'
import { failure } from './failure.js'
import { settleFailure } from './settle.js'
import { taskHasEnded } from './task-state.js'
import type { Transition } from './transition.js'
import { endWaiting, signalName, sleepMs } from './waiting.js'

/** A signal goes to the first task that waits for it; if none does, it is kept. */
export function receiveSignal(transition: Transition, command: SignalCommand): void {
  const index = transition.tasks.findIndex(
    (task, i) =>
      task.status === 'waiting' &&
      transition.plan.tasks[i]?.uses === 'signal' &&
      signalName(transition.inputOf(i)) === command.name,
  )
  if (index < 0) {
    transition.keepSignal({ id: command.signalId, name: command.name, payload: command.payload })
    return
  }
  endWaiting(transition, index, command.payload)
  advance(transition, [index], 0)
}

export function decideApproval(transition: Transition, command: ApprovalCommand): void {
  const index = transition.indexOf(command.taskId)
  if (index < 0 || transition.task(index).status !== 'waiting' || transition.plan.tasks[index]?.uses !== 'approval')
    return
  const { by, comment, at } = command
  if (command.approve) {
    endWaiting(transition, index, JSON.stringify({ decision: 'approved', by, comment, at }))
    advance(transition, [index], 0)
    return
  }
  transition.dropTaskTimers(index)
  const error = failure('rejected', comment ? `rejected by ${by}: ${comment}` : `rejected by ${by}`, 'rejected')
  settleFailure(transition, index, error, 0, { final: true })
  advance(transition, [index], 0)
}

export function wakeTask(transition: Transition, command: TaskTimerCommand): void {
  const index = transition.indexOf(command.taskId)
  if (index < 0 || transition.task(index).status !== 'waiting') return
  endWaiting(transition, index, JSON.stringify({ sleptMs: sleepMs(transition.inputOf(index)) ?? 0 }))
  advance(transition, [index], 0)
}

/** A time limit that the engine itself keeps: of a waiting task, of a place in the queue, of all attempts together. */
export function taskTimedOut(
  transition: Transition,
  command: TaskTimerCommand,
  kind: 'task' | 'queue' | 'total',
): void {
  const index = transition.indexOf(command.taskId)
  if (index < 0 || taskHasEnded(transition.task(index).status)) return
  const { status } = transition.task(index)
  if (transition.isOpenMap(index)) {
    // It fails when the last of its children has ended.
    transition.changeMap(index, { ending: kind === 'total' ? 'total-timeout' : 'timeout' })
    return
  }
  if (kind === 'task' && status !== 'waiting') return
  if (kind !== 'task') transition.requireExact()
  const exact = transition.task(index).status
  if (kind === 'queue' && exact !== 'queued') return
  if (exact === 'queued') transition.leaveQueue(index)
  if (exact === 'running') transition.requestStop(index)
  const isChild = transition.plan.tasks[index]?.uses === 'workflow'
  const message = {
    task: isChild ? 'the child run took longer than the task may' : 'nobody answered in time',
    queue: 'no worker took the task in time',
    total: 'all attempts together took longer than the task may',
  }[kind]
  const fence = exact === 'running' ? { fence: true } : {}
  const error = failure(`${kind}_timeout`, message, 'timeout')
  // A child run is an attempt like any other; nobody is asked twice for an approval.
  const final = kind !== 'task' || !isChild
  const ended = settleFailure(transition, index, error, 0, { final, ...fence })
  transition.dropTaskTimers(index, { keepTotal: !ended })
  if (ended) advance(transition, [index], 0)
}
