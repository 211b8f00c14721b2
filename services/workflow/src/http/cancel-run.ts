import type { RouteHandler } from '@millrace/http'
import { withTransaction } from '@millrace/postgres'
import type { AppContext } from '../context.js'
import { findRunRequest, markCancelRequested } from '../db/run-requests.js'
import { releaseHeld } from '../release-waiting.js'
import { audit } from './audit.js'
import { detailOf } from './get-run.js'
import { runAbsent, runIdOf } from './path-id.js'

/**
 * The scheduler keeps a cancel for a run that it does not have yet, for any id: that the run exists in this project is
 * known here. The request is marked only after the scheduler promised, so `cancelling` is never shown in vain.
 */
export function cancelRun(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { projectId, subject } = req.identity
    const runId = runIdOf(req)
    if ((await findRunRequest(ctx.pool, projectId, runId)) === undefined) throw runAbsent()
    const reason = (req.body as { reason?: string } | undefined)?.reason ?? ''
    const run = await ctx.scheduler.cancelRun({ projectId, runId, reason, requestedBy: subject })
    await withTransaction(ctx.pool, async (tx) => {
      if (run === undefined) {
        await markCancelRequested(tx, runId)
        // The scheduler ends it, also while its workflow is paused.
        await releaseHeld(tx, runId)
      }
      await audit(tx, req, 'run.cancelled', `run:${runId}`)
    })
    ctx.bus.hint()
    return { status: 200, body: await detailOf(ctx, projectId, runId) }
  }
}
