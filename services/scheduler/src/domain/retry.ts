import { advanceAll, beginAttempt, orPostpone } from './advance.js'
import { childPlace } from './child-id.js'
import type { RetryCommand } from './commands.js'
import type { Draft } from './draft.js'
import { isBlocked, waitAgain } from './limits/run-admission.js'
import { runHasEnded } from './run-state.js'

/**
 * Reopens a run. Failed tasks get as many attempts again as their policy gives; what was skipped or cancelled waits for
 * its needs anew. What succeeded stays. One task alone, a dead letter's, may be retried in a run that is still open (its
 * other tasks run, or another dead letter reopened it), and in one that succeeded in spite of it.
 */
export function retryRun(draft: Draft, command: RetryCommand): void {
  const { status } = draft
  const child = command.taskId === undefined ? undefined : childPlace(command.taskId)
  const chosen = command.taskId === undefined ? null : (child?.ordinal ?? draft.indexOf(command.taskId))
  const reopens = status === 'failed' || status === 'cancelled' || (status === 'succeeded' && chosen !== null)
  const waits = status === 'queued' && draft.started
  const joins = (status === 'running' || status === 'paused' || waits) && chosen !== null
  if (!reopens && !joins) return
  draft.requireExact()
  const again = draft.tasks.flatMap((task, index) =>
    task.status === 'failed' && (chosen === null || chosen === index) ? [index] : [],
  )
  if (child && chosen !== null && draft.isOpenMap(chosen)) {
    draft.beginNewRound(chosen)
    retryChild(draft, chosen, command)
    return
  }
  // Somebody else retried it first.
  if (chosen !== null && status !== 'cancelled' && again.length === 0) return
  const waitsForRoom = draft.plan.concurrency !== undefined
  // A run that was cancelled before it began begins by this.
  const begins = !waitsForRoom && !draft.started
  if (reopens) {
    const fields = { reason: null, error: null, reopened: true, ...(begins ? { started: true } : {}) }
    draft.moveRun(waitsForRoom ? 'queued' : 'running', fields)
  }
  draft.stopping = joins && stopsWithout(draft, chosen)
  draft.tasks.forEach((task, index) => {
    const { retry } = draft.plan.tasks[index] ?? {}
    const maxAttempts = task.attempt + (retry?.maxAttempts ?? 1)
    if (task.status === 'skipped' || task.status === 'cancelled') {
      draft.moveTask(index, 'pending', { error: null, ...(task.attempt > 0 ? { maxAttempts } : {}) })
    } else if (again.includes(index)) draft.moveTask(index, 'pending', { maxAttempts })
  })
  // What has never begun begins when there is room for it, as at first.
  if (waitsForRoom && !draft.started) {
    waitAgain(draft)
    return
  }
  for (const index of again) {
    if (child) resumeMap(draft, index, command)
    // An input that was given is nowhere but here.
    else if (command.input !== undefined) beginAttempt(draft, index, 0, command.input)
    else orPostpone(draft, () => beginAttempt(draft, index, 0))
  }
  advanceAll(draft, 0)
  if (reopens && waitsForRoom && !runHasEnded(draft.status)) waitAgain(draft)
}

/** Whether another failure than this task's stops the run. */
const stopsWithout = (draft: Draft, chosen: number | null): boolean =>
  draft.tasks.some(
    (task, index) => index !== chosen && task.status === 'failed' && draft.plan.tasks[index]?.onFailure === 'stop',
  )

/** A failed map waits again, for one of its children only. */
function resumeMap(draft: Draft, index: number, command: RetryCommand): void {
  draft.moveTask(index, 'waiting', { attempt: draft.task(index).attempt + 1 })
  const { timeoutMs } = draft.plan.tasks[index] ?? {}
  if (timeoutMs !== undefined) draft.addTimer({ kind: 'task-timeout', taskIndex: index, delayMs: timeoutMs })
  // The run may have been paused when it ended, and its maps with it.
  draft.changeMap(index, { paused: isBlocked(draft.status) })
  retryChild(draft, index, command)
}

function retryChild(draft: Draft, index: number, { taskId, input }: RetryCommand): void {
  if (taskId === undefined) return
  draft.changeMap(index, { retried: [{ taskId, ...(input === undefined ? {} : { input }) }] })
}
