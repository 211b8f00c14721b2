import type { Pool } from '@millrace/postgres'
import type { ArtifactRecord } from '../domain/changes.js'
import { sanitiseText, toJsonbText } from '../sanitise.js'

/** Kept apart from job documents: the event names a task by key, and may come before anything of that task has. */
export async function addArtifacts(pool: Pool, artifacts: ArtifactRecord[]): Promise<void> {
  if (artifacts.length === 0) return
  const rows = artifacts
    .map((document) => ({
      id: document.id,
      project_id: document.projectId,
      run_id: document.runId,
      task: document.task,
      document,
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  await pool.query(
    `insert into artifacts select * from json_to_recordset($1::json)
       as x(id uuid, project_id uuid, run_id uuid, task text, document jsonb)
     on conflict do nothing`,
    [toJsonbText(rows)],
  )
}

export async function listArtifacts(
  pool: Pool,
  projectId: string,
  runId: string,
  task: string,
): Promise<ArtifactRecord[]> {
  const { rows } = await pool.query<{ document: ArtifactRecord & { createdAt: string } }>(
    'select document from artifacts where run_id = $1 and project_id = $2 and task = $3 order by id',
    [runId, projectId, sanitiseText(task)],
  )
  return rows.map(({ document }) => ({ ...document, createdAt: new Date(document.createdAt) }))
}
