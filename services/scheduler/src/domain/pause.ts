import { advanceAll, beginAttempt } from './advance.js'
import { askForChildren } from './child-run.js'
import type { Draft } from './draft.js'
import { begin, HELD } from './start.js'

/**
 * No new leases and no retries. What runs goes on, and so does the run's timeout. A task that is ready stays `queued`
 * and only leaves the queue, so that nothing about it has to be decided again.
 */
export function pauseRun(draft: Draft): void {
  if (draft.status !== 'running' && draft.status !== 'queued') return
  draft.requireExact()
  draft.moveRun('paused', { reason: null })
  draft.suspendRetries()
  draft.tasks.forEach((task, index) => {
    if (task.status === 'queued') draft.leaveQueue(index)
    else if (draft.isOpenMap(index)) draft.changeMap(index, { paused: true })
  })
}

export function resumeRun(draft: Draft): void {
  if (draft.status !== 'paused') return
  draft.requireExact()
  if (!draft.state.started) {
    if (draft.reason === HELD) begin(draft)
    else draft.moveRun('queued', { reason: null })
    return
  }
  draft.moveRun('running', { reason: null })
  askForChildren(draft)
  draft.tasks.forEach((task, index) => {
    if (task.status === 'queued') draft.enterQueue(index)
    else if (task.status === 'delayed') beginAttempt(draft, index, 0)
    else if (draft.isOpenMap(index)) draft.changeMap(index, { paused: false })
  })
  advanceAll(draft, 0)
}
