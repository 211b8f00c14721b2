import { isCompensating } from './compensation.js'
import { beginOrWait, holdBack, resume } from './limits/run-admission.js'
import { HELD } from './start.js'
import type { Transition } from './transition.js'

/**
 * No new leases and no retries. What runs goes on, and so does the run's timeout. A task that is ready stays `queued`
 * and only leaves the queue, so that nothing about it has to be decided again. Whoever waited for a limit gives
 * its place up: it must not keep others waiting.
 */
export function pauseRun(transition: Transition): void {
  if (transition.status !== 'running' && transition.status !== 'queued') return
  transition.requireExact()
  const isWaiting = transition.status === 'queued' && transition.admission !== 'none'
  if (isWaiting) transition.leaveAdmissionQueue()
  transition.moveRun('paused', isCompensating(transition) ? {} : { reason: isWaiting ? HELD : null })
  holdBack(transition)
}

export function resumeRun(transition: Transition): void {
  if (transition.status !== 'paused') return
  transition.requireExact()
  if (transition.reason === HELD) beginOrWait(transition)
  else if (transition.started) resume(transition)
  else transition.moveRun('queued', { reason: null })
}
