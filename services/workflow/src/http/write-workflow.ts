import type { Definition } from '@millrace/definition'
import { unprocessable } from '@millrace/errors'
import { appendEvents } from '@millrace/events'
import type { RouteRequest } from '@millrace/http'
import type { Tx } from '@millrace/postgres'
import { matchRoute } from '@millrace/routes'
import { v7 } from 'uuid'
import { insertVersion, type VersionRow } from '../db/versions.js'
import { assertRoomForWorkflow } from '../db/workflow-quota.js'
import { advanceWorkflow, insertWorkflow, type WorkflowRow } from '../db/workflows.js'
import { contentHash } from '../domain/content-hash.js'
import { SOURCE } from '../source.js'
import { audit } from './audit.js'
import type { ReadDefinition } from './read-definition.js'

export interface Written {
  workflow: WorkflowRow
  version: VersionRow
}

const summaryOf = ({ definition }: ReadDefinition) => ({
  description: definition.description ?? '',
  tags: [...new Set(definition.tags ?? [])],
})

/** The first version. A name that is taken violates the index `workflows_name`; `limit` is the project's quota. */
export async function writeNewWorkflow(
  tx: Tx,
  req: RouteRequest,
  read: ReadDefinition,
  limit: number | null,
): Promise<Written> {
  const at = new Date()
  const { projectId } = req.identity
  const { name } = read.definition
  assertReachable(name)
  await assertRoomForWorkflow(tx, projectId, limit)
  const id = v7()
  const versionId = v7()
  await insertWorkflow(tx, { id, projectId, name, ...summaryOf(read), versionId, at })
  const version = await writeVersion(tx, req, read, { id: versionId, workflowId: id, version: 1, at })
  await audit(tx, req, 'workflow.created', `workflow:${name}`)
  const workflow = {
    id,
    name,
    ...summaryOf(read),
    paused: false,
    latestVersion: 1,
    latestVersionId: versionId,
    createdAt: at,
    updatedAt: at,
  }
  return { workflow, version }
}

/** A path such as /workflows/validate belongs to its own operation: a workflow of that name could never be read. */
function assertReachable(name: string): void {
  if (matchRoute('GET', `/api/v1/workflows/${name}`)) return
  throw unprocessable('reserved_name', `No workflow can be named ${name}: the API has a path of that name.`, [
    { path: '/name', code: 'reserved_name', message: 'is a path of the API' },
  ])
}

export async function writeNextVersion(
  tx: Tx,
  req: RouteRequest,
  read: ReadDefinition,
  current: WorkflowRow,
): Promise<Written> {
  const at = new Date()
  const id = v7()
  const number = current.latestVersion + 1
  const version = await writeVersion(tx, req, read, { id, workflowId: current.id, version: number, at })
  await advanceWorkflow(tx, { id: current.id, version: number, versionId: id, ...summaryOf(read), at })
  await audit(tx, req, 'workflow.updated', `workflow:${current.name}`)
  return {
    workflow: { ...current, ...summaryOf(read), latestVersion: number, latestVersionId: id, updatedAt: at },
    version,
  }
}

async function writeVersion(
  tx: Tx,
  req: RouteRequest,
  { definition, graph }: ReadDefinition,
  place: { id: string; workflowId: string; version: number; at: Date },
): Promise<VersionRow> {
  const { at, ...ids } = place
  const shared = {
    ...ids,
    projectId: req.identity.projectId,
    name: definition.name,
    contentHash: contentHash(definition),
    createdBy: req.identity.subject,
    createdAt: at,
  }
  await insertVersion(tx, { ...shared, definitionJson: JSON.stringify(definition), graphJson: JSON.stringify(graph) })
  await publishRetention(tx, req.identity.projectId, definition)
  return { ...shared, definition, graph }
}

/** Also when none is said: a workflow of this name, archived since, or an earlier version may have said one. */
function publishRetention(tx: Tx, projectId: string, { name, retention }: Definition): Promise<void> {
  const retentionJson = retention === undefined ? '' : JSON.stringify(retention)
  const data = { projectId, workflow: name, retentionJson }
  return appendEvents(tx, SOURCE, [{ topic: 'retention.changed', key: projectId, subject: name, data }])
}
