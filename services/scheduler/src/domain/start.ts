import { EvaluationDeferred } from '@millrace/definition'
import type { StartCommand } from './commands.js'
import type { Draft } from './draft.js'
import { beginOrWait } from './limits/run-admission.js'
import { reuse } from './reuse.js'

/** Why a run is paused that has not begun: it was submitted on hold, or its time came while it was paused. */
export const HELD = 'held'

export function start(draft: Draft, command: StartCommand): void {
  if (draft.status !== 'queued') return
  if (command.reused) reuse(draft, command.reused)
  if (command.hold) draft.moveRun('paused', { reason: HELD })
  else if (command.delayMs !== undefined && command.delayMs > 0) {
    draft.addTimer({ kind: 'start', taskIndex: null, delayMs: command.delayMs })
  } else {
    try {
      beginOrWait(draft)
    } catch (error) {
      // The key of its workflow's limit takes long: whoever brings new runs does not wait for it.
      if (!(error instanceof EvaluationDeferred)) throw error
      draft.addTimer({ kind: 'start', taskIndex: null, delayMs: 0 })
    }
  }
}

export function startDue(draft: Draft): void {
  if (draft.started) return
  if (draft.status === 'queued') beginOrWait(draft)
  else if (draft.status === 'paused') draft.moveRun('paused', { reason: HELD })
}
