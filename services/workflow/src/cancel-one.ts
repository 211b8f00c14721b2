import { type Tx, withTransaction } from '@millrace/postgres'
import type { AppContext } from './context.js'
import { markCancelRequested } from './db/run-requests.js'
import { releaseHeld } from './release-waiting.js'

export interface CancelOrder {
  projectId: string
  runId: string
  reason: string
  requestedBy: string
}

/**
 * The scheduler keeps a cancel for a run that it does not have yet, for any id: that the run exists in this project is
 * known here. The request is marked only after the scheduler promised, so `cancelling` is never shown in vain.
 */
export async function cancelOne(ctx: AppContext, order: CancelOrder, settle: (tx: Tx) => Promise<void>): Promise<void> {
  const run = await ctx.scheduler.cancelRun(order)
  await withTransaction(ctx.pool, async (tx) => {
    if (run === undefined) {
      await markCancelRequested(tx, order.runId)
      // The scheduler ends it, also while its workflow is paused.
      await releaseHeld(tx, order.runId)
    }
    await settle(tx)
  })
  ctx.bus.hint()
}
