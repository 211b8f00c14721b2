import type { Queryable } from '@millrace/postgres'

export interface NewArtifact {
  id: string
  projectId: string
  runId: string | null
  task: string | null
  workflow: string | null
  name: string
  contentType: string
  declaredSize: number | null
  declaredSha256: string | null
  uploadKey: string
  createdBy: string
}

/** False when there is one of this id already. */
export async function insertArtifact(tx: Queryable, artifact: NewArtifact): Promise<boolean> {
  const result = await tx.query(
    `insert into artifacts (id, project_id, run_id, task, workflow, name, content_type, declared_size, declared_sha256,
      upload_key, created_by)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict (id) do nothing`,
    [
      artifact.id,
      artifact.projectId,
      artifact.runId,
      artifact.task,
      artifact.workflow,
      artifact.name,
      artifact.contentType,
      artifact.declaredSize,
      artifact.declaredSha256,
      artifact.uploadKey,
      artifact.createdBy,
    ],
  )
  return (result.rowCount ?? 0) > 0
}
