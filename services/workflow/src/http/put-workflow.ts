import { conflict, internal } from '@millrace/errors'
import type { RouteHandler, RouteRequest } from '@millrace/http'
import { isUniqueViolation, type Tx, withTransaction } from '@millrace/postgres'
import type { AppContext } from '../context.js'
import { findVersion } from '../db/versions.js'
import { findWorkflow } from '../db/workflows.js'
import { contentHash } from '../domain/content-hash.js'
import { shown, warningsOf } from './definition-warnings.js'
import { workflowNameOf } from './path-id.js'
import { type ReadDefinition, readDefinition } from './read-definition.js'
import { type View, workflowView } from './views.js'
import { writeNewWorkflow, writeNextVersion } from './write-workflow.js'

export function putWorkflow(ctx: AppContext): RouteHandler {
  return async (req) => {
    const read = await readDefinition(req, workflowNameOf(req))
    const warnings = await warningsOf(ctx, req.identity.projectId, read.definition)
    const { workflows: limit } = await ctx.quotas(req.identity.projectId)
    // Two first writers of one name: the second finds the first's workflow when it tries again.
    for (let tries = 0; tries < 3; tries++) {
      try {
        const { status, body } = await withTransaction(ctx.pool, (tx) => write(tx, req, read, limit))
        ctx.versions.forget(req.identity.projectId, read.definition.name, 0)
        ctx.bus.hint()
        return { status, body: { ...body, ...shown(warnings) } }
      } catch (error) {
        if (!isUniqueViolation(error, 'workflows_name')) throw error
      }
    }
    throw conflict('workflow_changing', 'The workflow is being changed; try again.')
  }
}

/** The lock on the workflow's row puts writers in a row, so version numbers have no gap and no double. */
async function write(
  tx: Tx,
  req: RouteRequest,
  read: ReadDefinition,
  limit: number | null,
): Promise<{ status: number; body: View }> {
  const current = await findWorkflow(tx, req.identity.projectId, read.definition.name, true)
  if (current === undefined) {
    const { workflow, version } = await writeNewWorkflow(tx, req, read, limit)
    return { status: 201, body: workflowView(workflow, version) }
  }
  const latest = await findVersion(tx, current.latestVersionId)
  if (latest === undefined) throw internal('the newest version of a workflow is missing')
  if (latest.contentHash === contentHash(read.definition)) return { status: 200, body: workflowView(current, latest) }
  const { workflow, version } = await writeNextVersion(tx, req, read, current)
  return { status: 200, body: workflowView(workflow, version) }
}
