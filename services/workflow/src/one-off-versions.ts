import { internal } from '@millrace/errors'
import { type Pool, type Tx, withTransaction } from '@millrace/postgres'
import { LRUCache } from 'lru-cache'
import { v7 } from 'uuid'
import { findVersionByContent, insertVersion } from './db/versions.js'
import { advanceWorkflow, ensureHiddenWorkflow, findWorkflow } from './db/workflows.js'
import { contentHash } from './domain/content-hash.js'
import { oneOffDefinition, taskWorkflowName } from './domain/one-off-task.js'

export interface OneOffVersion {
  workflow: string
  version: number
}

/** Hidden workflows, one a type and project, with a version for each way of retrying. Found by content, so made once. */
export interface OneOffVersions {
  resolve(projectId: string, type: string, retries: number | undefined, createdBy: string): Promise<OneOffVersion>
}

export function createOneOffVersions(pool: Pool): OneOffVersions {
  // Nothing archives a hidden workflow and versions never change, so an entry holds for ever.
  const known = new LRUCache<string, OneOffVersion>({ max: 10_000 })
  return {
    async resolve(projectId, type, retries, createdBy) {
      const key = `${projectId}/${retries ?? ''}/${type}`
      const cached = known.get(key)
      if (cached !== undefined) return cached
      const version = await withTransaction(pool, (tx) => ensureVersion(tx, projectId, type, retries, createdBy))
      known.set(key, version)
      return version
    },
  }
}

async function ensureVersion(
  tx: Tx,
  projectId: string,
  type: string,
  retries: number | undefined,
  createdBy: string,
): Promise<OneOffVersion> {
  const { definition, graph } = oneOffDefinition(type, retries)
  const workflow = taskWorkflowName(type)
  const at = new Date()
  const versionId = v7()
  const made = await ensureHiddenWorkflow(tx, { id: v7(), projectId, name: workflow, versionId, at })
  const row = await findWorkflow(tx, projectId, workflow, true)
  if (row === undefined) throw internal('a hidden workflow is missing')
  const hash = contentHash(definition)
  const found = made ? undefined : await findVersionByContent(tx, row.id, hash)
  if (found !== undefined) return { workflow, version: found.version }
  const version = made ? 1 : row.latestVersion + 1
  await insertVersion(tx, {
    id: versionId,
    workflowId: row.id,
    projectId,
    name: workflow,
    version,
    definitionJson: JSON.stringify(definition),
    graphJson: JSON.stringify(graph),
    contentHash: hash,
    createdBy,
    createdAt: at,
  })
  if (!made) await advanceWorkflow(tx, { id: row.id, version, versionId, description: '', tags: [], at })
  return { workflow, version }
}
