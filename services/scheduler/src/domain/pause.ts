import type { Draft } from './draft.js'
import { beginOrWait, holdBack, resume } from './limits/run-admission.js'
import { HELD } from './start.js'

/**
 * No new leases and no retries. What runs goes on, and so does the run's timeout. A task that is ready stays `queued`
 * and only leaves the queue, so that nothing about it has to be decided again. Whoever stood in line for a limit gives
 * its place up: it must not keep others waiting.
 */
export function pauseRun(draft: Draft): void {
  if (draft.status !== 'running' && draft.status !== 'queued') return
  draft.requireExact()
  const inLine = draft.status === 'queued' && draft.admission !== 'none'
  if (inLine) draft.leaveLine()
  draft.moveRun('paused', { reason: inLine ? HELD : null })
  holdBack(draft)
}

export function resumeRun(draft: Draft): void {
  if (draft.status !== 'paused') return
  draft.requireExact()
  if (draft.reason === HELD) beginOrWait(draft)
  else if (draft.started) resume(draft)
  else draft.moveRun('queued', { reason: null })
}
