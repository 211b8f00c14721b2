import type { RouteHandler } from '@millrace/http'
import { cancelOne } from '../cancel-one.js'
import type { AppContext } from '../context.js'
import { findRunRequest } from '../db/run-requests.js'
import { audit } from './audit.js'
import { detailOf } from './get-run.js'
import { runAbsent, runIdOf } from './path-id.js'

export function cancelRun(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { projectId, subject } = req.identity
    const runId = runIdOf(req)
    if ((await findRunRequest(ctx.pool, projectId, runId)) === undefined) throw runAbsent()
    const reason = (req.body as { reason?: string } | undefined)?.reason ?? ''
    const order = { projectId, runId, reason, requestedBy: subject }
    await cancelOne(ctx, order, (tx) => audit(tx, req, 'run.cancelled', `run:${runId}`))
    return { status: 200, body: await detailOf(ctx, req.identity, runId) }
  }
}
