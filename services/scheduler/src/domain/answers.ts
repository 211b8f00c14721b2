import { advance } from './advance.js'
import type { ApprovalCommand, SignalCommand, TaskTimerCommand } from './commands.js'
import type { Draft } from './draft.js'
import { failure } from './failure.js'
import { settleFailure } from './settle.js'
import { taskHasEnded } from './task-state.js'
import { endWaiting, signalName, sleepMs } from './waiting.js'

/** A signal goes to the first task that waits for it; if none does, it is kept. */
export function receiveSignal(draft: Draft, command: SignalCommand): void {
  const index = draft.tasks.findIndex(
    (task, i) =>
      task.status === 'waiting' &&
      draft.plan.tasks[i]?.uses === 'signal' &&
      signalName(draft.inputOf(i)) === command.name,
  )
  if (index < 0) {
    draft.keepSignal({ id: command.signalId, name: command.name, payload: command.payload })
    return
  }
  endWaiting(draft, index, command.payload)
  advance(draft, [index], 0)
}

export function decideApproval(draft: Draft, command: ApprovalCommand): void {
  const index = draft.indexOf(command.taskId)
  if (index < 0 || draft.task(index).status !== 'waiting' || draft.plan.tasks[index]?.uses !== 'approval') return
  const { by, comment, at } = command
  if (command.approve) {
    endWaiting(draft, index, JSON.stringify({ decision: 'approved', by, comment, at }))
    advance(draft, [index], 0)
    return
  }
  draft.dropTaskTimers(index)
  const error = failure('rejected', comment ? `rejected by ${by}: ${comment}` : `rejected by ${by}`, 'rejected')
  settleFailure(draft, index, error, 0, { final: true })
  advance(draft, [index], 0)
}

export function wakeTask(draft: Draft, command: TaskTimerCommand): void {
  const index = draft.indexOf(command.taskId)
  if (index < 0 || draft.task(index).status !== 'waiting') return
  endWaiting(draft, index, JSON.stringify({ sleptMs: sleepMs(draft.inputOf(index)) ?? 0 }))
  advance(draft, [index], 0)
}

/** A time limit that the engine itself keeps: of a waiting task, of a place in the queue, of all attempts together. */
export function taskTimedOut(draft: Draft, command: TaskTimerCommand, kind: 'task' | 'queue' | 'total'): void {
  const index = draft.indexOf(command.taskId)
  if (index < 0 || taskHasEnded(draft.task(index).status)) return
  const { status } = draft.task(index)
  if (draft.isOpenMap(index)) {
    // It fails when the last of its children has ended.
    draft.changeMap(index, { ending: kind === 'total' ? 'total-timeout' : 'timeout' })
    return
  }
  if (kind === 'task' && status !== 'waiting') return
  if (kind !== 'task') draft.requireExact()
  const exact = draft.task(index).status
  if (kind === 'queue' && exact !== 'queued') return
  if (exact === 'queued') draft.leaveQueue(index)
  if (exact === 'running') draft.requestStop(index)
  const isChild = draft.plan.tasks[index]?.uses === 'workflow'
  const message = {
    task: isChild ? 'the child run took longer than the task may' : 'nobody answered in time',
    queue: 'no worker took the task in time',
    total: 'all attempts together took longer than the task may',
  }[kind]
  const fence = exact === 'running' ? { fence: true } : {}
  const error = failure(`${kind}_timeout`, message, 'timeout')
  // A child run is an attempt like any other; nobody is asked twice for an approval.
  const final = kind !== 'task' || !isChild
  const ended = settleFailure(draft, index, error, 0, { final, ...fence })
  draft.dropTaskTimers(index, { keepTotal: !ended })
  if (ended) advance(draft, [index], 0)
}
