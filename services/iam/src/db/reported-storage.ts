import type { Queryable } from '@millrace/postgres'

export async function storeReportedBytes(
  db: Queryable,
  projects: readonly { projectId: string; bytes: number }[],
): Promise<void> {
  await db.query(
    `insert into reported_storage (project_id, bytes)
     select project_id, bytes from unnest($1::uuid[], $2::bigint[]) as r (project_id, bytes) order by project_id
     on conflict (project_id) do update set bytes = excluded.bytes`,
    [projects.map(({ projectId }) => projectId), projects.map(({ bytes }) => bytes)],
  )
}

export async function reportedBytes(db: Queryable, projectId: string): Promise<number> {
  const { rows } = await db.query<{ bytes: string }>('select bytes from reported_storage where project_id = $1', [
    projectId,
  ])
  return Number(rows[0]?.bytes ?? 0)
}
