import { unprocessable } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import { withTransaction } from '@millrace/postgres'
import type { AppContext } from '../context.js'
import { findRunRequest } from '../db/run-requests.js'
import { audit } from './audit.js'
import { detailOf } from './get-run.js'
import { runAbsent, runIdOf } from './path-id.js'

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

export function sendSignal(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { projectId } = req.identity
    const runId = runIdOf(req)
    const name = req.params.name ?? ''
    if (!namePattern.test(name)) throw unprocessable('invalid_signal', 'A signal has a plain name.')
    // The scheduler keeps a signal for any run id; whose run it is is known here.
    if ((await findRunRequest(ctx.pool, projectId, runId)) === undefined) throw runAbsent()
    const { payload = null } = (req.body ?? {}) as { payload?: unknown }
    const dedupeKey = req.idempotencyKey ?? ''
    await ctx.scheduler.sendSignal({ projectId, runId, name, payloadJson: JSON.stringify(payload), dedupeKey })
    await withTransaction(ctx.pool, (tx) => audit(tx, req, 'run.signalled', `run:${runId}/${name}`))
    ctx.bus.hint()
    return { status: 200, body: await detailOf(ctx, req.identity, runId) }
  }
}
