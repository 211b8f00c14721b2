import type { Queryable } from '@millrace/postgres'
import { trashObjects } from './object-trash.js'

export interface DeletedArtifact {
  id: string
  projectId: string
  uploadKey: string
  objectKey: string | null
}

export const objectsOf = (artifact: DeletedArtifact): string[] =>
  artifact.objectKey === null ? [artifact.uploadKey] : [artifact.uploadKey, artifact.objectKey]

const returning = `returning id, project_id as "projectId", upload_key as "uploadKey", object_key as "objectKey"`

export async function deleteArtifactRow(tx: Queryable, id: string): Promise<DeletedArtifact | undefined> {
  const { rows } = await tx.query<DeletedArtifact>(`delete from artifacts where id = $1 ${returning}`, [id])
  const [deleted] = rows
  if (deleted !== undefined) await trashObjects(tx, objectsOf(deleted))
  return deleted
}

const SLICE = 200

/** Of these runs, or of this project, a slice. */
export async function deleteOwned(
  tx: Queryable,
  owner: { runIds: readonly string[] } | { projectId: string },
): Promise<{ deleted: DeletedArtifact[]; more: boolean }> {
  const [condition, value] =
    'runIds' in owner ? ['run_id = any($1::uuid[])', owner.runIds] : ['project_id = $1', owner.projectId]
  const { rows } = await tx.query<DeletedArtifact>(
    `delete from artifacts where id in (select id from artifacts where ${condition} limit ${SLICE} for update) ${returning}`,
    [value],
  )
  if (rows.length > 0) await trashObjects(tx, rows.flatMap(objectsOf))
  return { deleted: rows, more: rows.length === SLICE }
}

export interface ExpiryRule {
  pendingMs: number
  /** Undefined keeps completed files for good. */
  retentionDays: number | undefined
}

/**
 * One slice. What a project says of its files without a run goes before the platform's word: a file is kept as the project
 * says, also longer. Replicas that sweep at the same time skip each other's rows. */
export async function deleteExpired(tx: Queryable, rule: ExpiryRule, limit: number): Promise<DeletedArtifact[]> {
  const { rows } = await tx.query<DeletedArtifact>(
    `delete from artifacts where id in (
      select id from (
        select id from artifacts
        where (state = 'pending' and created_at < clock_timestamp() - make_interval(secs => $1))
          or (state = 'complete' and created_at < clock_timestamp() - make_interval(days => $2) and not (run_id is null
            and exists (select from project_retention p where p.project_id = artifacts.project_id and p.keep_ms is not null)))
          or retain_until < clock_timestamp()
        limit $3 for update skip locked
      ) by_platform union all
      select by_project.id from project_retention p, lateral (
        select id from artifacts where project_id = p.project_id and run_id is null and state = 'complete'
          and created_at < clock_timestamp() - make_interval(secs => p.keep_ms / 1000.0)
        order by created_at limit $3 for update skip locked
      ) by_project where p.keep_ms > 0
      limit $3
    ) ${returning}`,
    [rule.pendingMs / 1_000, rule.retentionDays ?? null, limit],
  )
  if (rows.length > 0) await trashObjects(tx, rows.flatMap(objectsOf))
  return rows
}
