import type { RouteHandler } from '@millrace/http'
import { withTransaction } from '@millrace/postgres'
import type { AppContext } from '../context.js'
import { audit } from './audit.js'
import { detailOf } from './get-run.js'
import { runIdOf } from './path-id.js'

export const approveTask = (ctx: AppContext): RouteHandler => decide(ctx, true)

export const rejectTask = (ctx: AppContext): RouteHandler => decide(ctx, false)

function decide(ctx: AppContext, approve: boolean): RouteHandler {
  return async (req) => {
    const { projectId, subject, role } = req.identity
    const runId = runIdOf(req)
    const key = req.params.key ?? ''
    const { comment = '' } = (req.body ?? {}) as { comment?: string }
    await ctx.scheduler.decideApproval({ projectId, runId, key, approve, comment, by: subject, role })
    await withTransaction(ctx.pool, (tx) =>
      audit(tx, req, approve ? 'task.approved' : 'task.rejected', `run:${runId}/${key}`),
    )
    ctx.bus.hint()
    return { status: 200, body: await detailOf(ctx, req.identity, runId) }
  }
}
