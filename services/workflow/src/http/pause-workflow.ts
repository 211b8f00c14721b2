import type { RouteHandler } from '@millrace/http'
import { withTransaction } from '@millrace/postgres'
import type { AppContext } from '../context.js'
import { setWorkflowPaused } from '../db/workflows.js'
import { audit } from './audit.js'
import { workflowAbsent, workflowNameOf } from './path-id.js'
import { workflowSummary } from './views.js'

/** New runs are accepted and wait; those under way go on. */
export const pauseWorkflow = (ctx: AppContext): RouteHandler => setPaused(ctx, true)

export const resumeWorkflow = (ctx: AppContext): RouteHandler => setPaused(ctx, false)

function setPaused(ctx: AppContext, paused: boolean): RouteHandler {
  return async (req) => {
    const name = workflowNameOf(req)
    const workflow = await withTransaction(ctx.pool, async (tx) => {
      const row = await setWorkflowPaused(tx, req.identity.projectId, name, paused)
      if (row === undefined) throw workflowAbsent()
      await audit(tx, req, paused ? 'workflow.paused' : 'workflow.resumed', `workflow:${name}`)
      return row
    })
    ctx.bus.hint()
    if (!paused) ctx.releaser.poke()
    return { status: 200, body: workflowSummary(workflow) }
  }
}
