import { conflict } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import { withTransaction } from '@millrace/postgres'
import { isAbsent } from '../clients/scheduler.js'
import type { AppContext } from '../context.js'
import { findRunRequest } from '../db/run-requests.js'
import { audit } from './audit.js'
import { detailOf } from './get-run.js'
import { runAbsent, runIdOf } from './path-id.js'

export function retryRun(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { projectId } = req.identity
    const runId = runIdOf(req)
    const request = await findRunRequest(ctx.pool, projectId, runId)
    if (request === undefined) throw runAbsent()
    try {
      await ctx.scheduler.retryRun(projectId, runId)
    } catch (error) {
      if (!isAbsent(error)) throw error
      if (request.takenAt !== null) throw runAbsent()
      throw conflict(
        'run_not_failed',
        'Only a run that failed or was cancelled can be retried; this one has not begun.',
      )
    }
    await withTransaction(ctx.pool, (tx) => audit(tx, req, 'run.retried', `run:${runId}`))
    ctx.bus.hint()
    return { status: 200, body: await detailOf(ctx, req.identity, runId) }
  }
}
