import { notFound } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { resolveVersion } from '../db/versions.js'
import { findWorkflow } from '../db/workflows.js'
import { workflowAbsent, workflowNameOf } from './path-id.js'
import { workflowView } from './views.js'

export function getWorkflow(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { projectId } = req.identity
    const name = workflowNameOf(req)
    const workflow = await findWorkflow(ctx.pool, projectId, name)
    if (workflow === undefined) throw workflowAbsent()
    const version = (req.query.version as number | undefined) ?? workflow.latestVersion
    const { row } = await resolveVersion(ctx.pool, projectId, name, version)
    if (row === undefined) throw notFound('version_not_found', 'The workflow has no such version.')
    return { status: 200, body: workflowView(workflow, row) }
  }
}
