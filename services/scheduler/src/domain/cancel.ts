import { completeRun } from './advance.js'
import type { Draft } from './draft.js'
import { runHasEnded } from './run-state.js'
import { taskHasEnded } from './task-state.js'

/** How long the holder of a lease may take to stop by itself before its token is raised. */
export const CANCEL_GRACE_MS = 1500

/** Asks running tasks to stop and ends all others; the run ends with the last of them. */
export function stopRun(draft: Draft, reason: string): void {
  if (runHasEnded(draft.status) || draft.status === 'cancelling') return
  draft.requireExact()
  draft.moveRun('cancelling', { reason })
  let running = 0
  draft.tasks.forEach((task, index) => {
    if (task.status === 'running') {
      running += 1
      draft.requestStop(index)
    } else if (draft.isOpenMap(index)) {
      draft.changeMap(index, { ending: 'cancel' })
    } else if (!taskHasEnded(task.status)) {
      if (task.status === 'queued') draft.leaveQueue(index)
      draft.moveTask(index, 'cancelled')
    }
  })
  if (running > 0) draft.addTimer({ kind: 'cancel-deadline', taskIndex: null, delayMs: CANCEL_GRACE_MS })
  completeRun(draft)
}

/**
 * The grace is over: whatever still runs ends without its holder, whose later report will be stale. A map ends with its
 * children, which have the same grace.
 */
export function endUnstopped(draft: Draft): void {
  if (draft.status !== 'cancelling') return
  draft.requireExact()
  draft.tasks.forEach((task, index) => {
    if (task.status === 'running') draft.moveTask(index, 'cancelled', { fence: true })
    else if (!draft.isOpenMap(index) && !taskHasEnded(task.status)) {
      if (task.status === 'queued') draft.leaveQueue(index)
      draft.moveTask(index, 'cancelled')
    }
  })
  completeRun(draft)
}
