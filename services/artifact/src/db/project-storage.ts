import type { Queryable } from '@millrace/postgres'

/** In a transaction that changed files of the project it includes them, and nobody else can change it before the end. */
export async function storedBytes(db: Queryable, projectId: string): Promise<number> {
  const { rows } = await db.query<{ bytes: string }>('select bytes from project_storage where project_id = $1', [
    projectId,
  ])
  return Number(rows[0]?.bytes ?? 0)
}

export interface StoredBytes {
  projectId: string
  bytes: number
}

export async function findUnreported(db: Queryable, limit: number): Promise<StoredBytes[]> {
  const { rows } = await db.query<{ projectId: string; bytes: string }>(
    `select project_id as "projectId", bytes from project_storage where reported is distinct from bytes limit $1`,
    [limit],
  )
  return rows.map(({ projectId, bytes }) => ({ projectId, bytes: Number(bytes) }))
}

/** What changed meanwhile is reported next time. */
export async function markReported(db: Queryable, reported: readonly StoredBytes[]): Promise<void> {
  await db.query(
    `update project_storage p set reported = r.bytes from unnest($1::uuid[], $2::bigint[]) as r (project_id, bytes)
     where p.project_id = r.project_id`,
    [reported.map(({ projectId }) => projectId), reported.map(({ bytes }) => bytes)],
  )
}
