import { crashPoint } from '@millrace/crash-point'
import type { EventOf } from '@millrace/events'
import type { AppContext } from '../context.js'
import { markRequestsTaken } from '../db/run-requests.js'

/** A run of which the scheduler speaks is one that it has: its request need not be shown any more. */
export function markTaken(ctx: Pick<AppContext, 'pool'>) {
  return async (events: EventOf<'workflow.updated' | 'workflow.completed'>[]): Promise<void> => {
    crashPoint('workflow.taken.before')
    await markRequestsTaken(ctx.pool, [...new Set(events.map((event) => event.data.runId))])
    crashPoint('workflow.taken.after')
  }
}
