import { appendEvents } from '@millrace/events'
import type { RouteHandler } from '@millrace/http'
import { withTransaction } from '@millrace/postgres'
import type { AppContext } from '../context.js'
import { archiveWorkflow } from '../db/workflows.js'
import { SOURCE } from '../source.js'
import { audit } from './audit.js'
import { workflowAbsent, workflowNameOf } from './path-id.js'

/** Archives: versions stay for the runs that are pinned to them, and the name is free again. */
export function deleteWorkflow(ctx: AppContext): RouteHandler {
  return async (req) => {
    const name = workflowNameOf(req)
    const { projectId } = req.identity
    await withTransaction(ctx.pool, async (tx) => {
      const workflowId = await archiveWorkflow(tx, projectId, name)
      if (workflowId === undefined) throw workflowAbsent()
      await appendEvents(tx, SOURCE, [
        { topic: 'workflow.deleted', key: workflowId, subject: name, data: { workflowId, projectId, workflow: name } },
      ])
      await audit(tx, req, 'workflow.deleted', `workflow:${name}`)
    })
    ctx.versions.forget(projectId, name, 0)
    ctx.bus.hint()
    return { status: 204 }
  }
}
