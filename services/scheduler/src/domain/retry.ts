import { advanceAll, beginAttempt, orPostpone } from './advance.js'
import type { RetryCommand } from './commands.js'
import { hasCompensated, isCompensation } from './compensation.js'
import { itemPlace } from './item-id.js'
import { isBlocked, waitAgain } from './limits/run-admission.js'
import { runHasEnded } from './run-state.js'
import type { Transition } from './transition.js'

/**
 * Reopens a run. Failed tasks get as many attempts again as their policy gives; what was skipped or cancelled waits for
 * its needs anew. What succeeded stays. One task alone, a dead letter's, may be retried in a run that is still open (its
 * other tasks run, or another dead letter reopened it), and in one that succeeded in spite of it. Once something was
 * undone, only compensations that failed are retried: a task would go on from what is not there any more.
 */
export function retryRun(transition: Transition, command: RetryCommand): void {
  if (command.generation !== undefined && command.generation !== transition.generation) return
  const { status } = transition
  const item = command.taskId === undefined ? undefined : itemPlace(command.taskId)
  const chosen = command.taskId === undefined ? null : (item?.ordinal ?? transition.indexOf(command.taskId))
  const reopens = status === 'failed' || status === 'cancelled' || (status === 'succeeded' && chosen !== null)
  const waits = status === 'queued' && transition.started
  const joins = (status === 'running' || status === 'paused' || waits) && chosen !== null
  if (!reopens && !joins) return
  transition.requireExact()
  const undone = hasCompensated(transition)
  const again = transition.tasks.flatMap((task, index) =>
    task.status === 'failed' && (chosen === null || chosen === index) && (!undone || isCompensation(transition, index))
      ? [index]
      : [],
  )
  if (item && chosen !== null && transition.isOpenMap(chosen)) {
    transition.beginNewRound(chosen)
    retryChild(transition, chosen, command)
    return
  }
  // Somebody else retried it first.
  if ((undone || (chosen !== null && status !== 'cancelled')) && again.length === 0) return
  const waitsForRoom = transition.plan.concurrency !== undefined
  // A run that was cancelled before it began begins by this.
  const begins = !waitsForRoom && !transition.started
  if (reopens) {
    const anew = { reason: null, error: null, ...(begins ? { started: true } : {}) }
    transition.moveRun(waitsForRoom ? 'queued' : 'running', { reopened: true, ...(undone ? {} : anew) })
  }
  if (!undone) transition.stopping = joins && stopsWithout(transition, chosen)
  transition.tasks.forEach((task, index) => {
    const { retry } = transition.plan.tasks[index] ?? {}
    const maxAttempts = task.attempt + (retry?.maxAttempts ?? 1)
    if (!undone && (task.status === 'skipped' || task.status === 'cancelled')) {
      transition.moveTask(index, 'pending', { error: null, ...(task.attempt > 0 ? { maxAttempts } : {}) })
    } else if (again.includes(index)) transition.moveTask(index, 'pending', { maxAttempts })
  })
  // What has never begun begins when there is room for it, as at first.
  if (waitsForRoom && !transition.started) {
    waitAgain(transition)
    return
  }
  for (const index of again) {
    if (item) resumeMap(transition, index, command)
    // An input that was given is nowhere but here.
    else if (command.input !== undefined) beginAttempt(transition, index, 0, command.input)
    else orPostpone(transition, () => beginAttempt(transition, index, 0))
  }
  advanceAll(transition, 0)
  if (reopens && waitsForRoom && !runHasEnded(transition.status)) waitAgain(transition)
}

/** Whether another failure than this task's stops the run. */
const stopsWithout = (transition: Transition, chosen: number | null): boolean =>
  transition.tasks.some(
    (task, index) => index !== chosen && task.status === 'failed' && transition.plan.tasks[index]?.onFailure === 'stop',
  )

/** A failed map waits again, for one of its items only. */
function resumeMap(transition: Transition, index: number, command: RetryCommand): void {
  transition.moveTask(index, 'waiting', { attempt: transition.task(index).attempt + 1 })
  const { timeoutMs } = transition.plan.tasks[index] ?? {}
  if (timeoutMs !== undefined) transition.addTimer({ kind: 'task-timeout', taskIndex: index, delayMs: timeoutMs })
  // The run may have been paused when it ended, and its maps with it.
  transition.changeMap(index, { paused: isBlocked(transition.status) })
  retryChild(transition, index, command)
}

function retryChild(transition: Transition, index: number, { taskId, input }: RetryCommand): void {
  if (taskId === undefined) return
  transition.changeMap(index, { retried: [{ taskId, ...(input === undefined ? {} : { input }) }] })
}
