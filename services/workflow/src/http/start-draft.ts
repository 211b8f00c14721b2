import { checkDefinitionValue } from '@millrace/definition'
import { internal, unprocessable } from '@millrace/errors'
import type { RouteHandler, RouteRequest } from '@millrace/http'
import { isUniqueViolation, type Tx, withTransaction } from '@millrace/postgres'
import type { AppContext } from '../context.js'
import { linkDraft, listDraftDependencies, listDraftTasks, lockDraft } from '../db/drafts.js'
import { findVersion } from '../db/versions.js'
import { findWorkflow } from '../db/workflows.js'
import { contentHash } from '../domain/content-hash.js'
import { definitionOfDraft } from '../domain/draft-definition.js'
import { workflowExists } from './build-draft.js'
import { idOf, workflowAbsent } from './path-id.js'
import type { ReadDefinition } from './read-definition.js'
import { acceptedRun, orderOf, settling } from './start-run.js'
import { type Written, writeNewWorkflow, writeNextVersion } from './write-workflow.js'

/**
 * Publishes and runs, in two transactions: after a crash between them the draft is published, and starting it again
 * finds it unchanged.
 */
export function startDraft(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { workflow, version } = await publish(ctx, req)
    const body = (req.body ?? {}) as { input?: unknown }
    const order = orderOf(req, workflow.name, { ...body, version: version.version })
    const { run } = await ctx.runCreator.create({ ...order, ...settling(req, acceptedRun) })
    return acceptedRun(run)
  }
}

async function publish(ctx: AppContext, req: RouteRequest): Promise<Written> {
  const draftId = idOf(req.params.id, workflowAbsent)
  const { workflows: limit } = await ctx.quotas(req.identity.projectId)
  let name = ''
  try {
    const written = await withTransaction(ctx.pool, async (tx) => {
      const draft = await lockDraft(tx, req.identity.projectId, draftId)
      if (draft === undefined) throw workflowAbsent()
      name = draft.name
      const read = await readDraft(tx, draft.id, draft.name, req.identity.projectId)
      return writeDraft(tx, req, { ...draft, read, limit })
    })
    ctx.versions.forget(req.identity.projectId, written.workflow.name, 0)
    ctx.bus.hint()
    return written
  } catch (error) {
    if (!isUniqueViolation(error, 'workflows_name')) throw error
    throw workflowExists(name)
  }
}

async function readDraft(tx: Tx, draftId: string, name: string, projectId: string): Promise<ReadDefinition> {
  const tasks = await listDraftTasks(tx, draftId)
  const source = definitionOfDraft(name, tasks, await listDraftDependencies(tx, draftId))
  const { errors, definition, graph } = await checkDefinitionValue(source, projectId)
  if (definition === undefined || graph === undefined) {
    throw unprocessable('invalid_definition', 'The workflow is not valid.', errors)
  }
  return { definition, graph }
}

async function writeDraft(
  tx: Tx,
  req: RouteRequest,
  draft: { id: string; name: string; workflowId: string | null; read: ReadDefinition; limit: number | null },
): Promise<Written> {
  const current = await findWorkflow(tx, req.identity.projectId, draft.name, true)
  // Another's workflow is not overwritten; one's own that was archived is made anew.
  if (current !== undefined && current.id !== draft.workflowId) throw workflowExists(draft.name)
  if (current === undefined) {
    const written = await writeNewWorkflow(tx, req, draft.read, draft.limit)
    await linkDraft(tx, draft.id, written.workflow.id)
    return written
  }
  const latest = await findVersion(tx, current.latestVersionId)
  if (latest === undefined) throw internal('the newest version of a workflow is missing')
  if (latest.contentHash === contentHash(draft.read.definition)) return { workflow: current, version: latest }
  return writeNextVersion(tx, req, draft.read, current)
}
