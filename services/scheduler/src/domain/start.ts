import { EvaluationDeferred } from '@millrace/definition'
import type { StartCommand } from './commands.js'
import { beginOrWait } from './limits/run-admission.js'
import { reuse } from './reuse.js'
import type { Transition } from './transition.js'

/** Why a run is paused that has not begun: it was submitted on hold, or its time came while it was paused. */
export const HELD = 'held'

export function start(transition: Transition, command: StartCommand): void {
  if (transition.status !== 'queued') return
  if (command.reused) reuse(transition, command.reused)
  if (command.hold) transition.moveRun('paused', { reason: HELD })
  else if (command.delayMs !== undefined && command.delayMs > 0) {
    transition.addTimer({ kind: 'start', taskIndex: null, delayMs: command.delayMs })
  } else {
    try {
      beginOrWait(transition)
    } catch (error) {
      // The key of its workflow's limit takes long: whoever brings new runs does not wait for it.
      if (!(error instanceof EvaluationDeferred)) throw error
      transition.addTimer({ kind: 'start', taskIndex: null, delayMs: 0 })
    }
  }
}

export function startDue(transition: Transition): void {
  if (transition.started) return
  if (transition.status === 'queued') beginOrWait(transition)
  else if (transition.status === 'paused') transition.moveRun('paused', { reason: HELD })
}
