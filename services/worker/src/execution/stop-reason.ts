import { assertNever } from '@millrace/errors'
import { ExecutionFailure } from './execution-failure.js'

export type StopReason =
  | { kind: 'cancelled'; reason: string }
  | { kind: 'timeout'; timeoutMs: number }
  /** The scheduler gave the task to someone else, or the session is gone: nothing is reported. */
  | { kind: 'lost' }
  /** A drain ran out of time: the task goes back, no attempt is used up. */
  | { kind: 'handed-back' }

export function stopFailure(reason: StopReason): ExecutionFailure {
  switch (reason.kind) {
    case 'cancelled':
      return new ExecutionFailure(reason.reason || 'Cancelled', { class: 'cancelled', code: 'cancelled' })
    case 'timeout':
      return new ExecutionFailure(`The attempt took longer than ${reason.timeoutMs} ms`, {
        class: 'timeout',
        code: 'timeout',
      })
    case 'lost':
      return new ExecutionFailure('The lease was lost', { class: 'lost_worker', code: 'lease_lost' })
    case 'handed-back':
      return new ExecutionFailure('The worker is stopping', { class: 'cancelled', code: 'handed_back' })
    default:
      return assertNever(reason)
  }
}
