import { completeRun } from './advance.js'
import { hasOpenChild } from './child-run.js'
import { isCompensating, isCompensation } from './compensation.js'
import { runHasEnded } from './run-state.js'
import { taskHasEnded } from './task-state.js'
import type { Transition } from './transition.js'

/** How long the holder of a lease may take to stop by itself before its token is raised. */
export const CANCEL_GRACE_MS = 1500

/**
 * Asks running tasks and child runs to stop and ends all others; the run ends with the last of them. Compensations are not
 * stopped, neither its own nor those of its children.
 */
export function stopRun(transition: Transition, reason: string): void {
  if (runHasEnded(transition.status) || transition.status === 'cancelling' || isCompensating(transition)) return
  transition.requireExact()
  transition.moveRun('cancelling', { reason })
  let running = 0
  transition.tasks.forEach((task, index) => {
    if (isCompensation(transition, index)) return
    if (task.status === 'running') {
      running += 1
      transition.requestStop(index)
    } else if (transition.isOpenMap(index)) {
      transition.changeMap(index, { ending: 'cancel' })
    } else if (hasOpenChild(transition, index)) {
      transition.endChild(index, task.attempt)
    } else if (!taskHasEnded(task.status)) {
      if (task.status === 'queued') transition.leaveQueue(index)
      transition.moveTask(index, 'cancelled')
    }
  })
  if (running > 0) transition.addTimer({ kind: 'cancel-deadline', taskIndex: null, delayMs: CANCEL_GRACE_MS })
  completeRun(transition)
}

/**
 * The grace is over: whatever still runs ends without its holder, whose later report will be stale. A map ends with its
 * children, which have the same grace; a child run when its own tasks and compensations have ended.
 */
export function endUnstopped(transition: Transition): void {
  if (transition.status !== 'cancelling') return
  transition.requireExact()
  transition.tasks.forEach((task, index) => {
    if (isCompensation(transition, index)) return
    if (task.status === 'running') transition.moveTask(index, 'cancelled', { fence: true })
    else if (task.status !== 'waiting' && !taskHasEnded(task.status)) {
      if (task.status === 'queued') transition.leaveQueue(index)
      transition.moveTask(index, 'cancelled')
    }
  })
  completeRun(transition)
}
