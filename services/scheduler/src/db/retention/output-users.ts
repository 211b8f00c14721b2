import type { Queryable } from '@millrace/postgres'

/** Of each artifact a run that still refers to it as an output, of a task or its own. */
export async function findOutputUsers(db: Queryable, artifactIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await db.query<{ artifact_id: string; run_id: string }>({
    name: 'find-output-users',
    text: `select distinct on (p.artifact_id) p.artifact_id, r.id as run_id
      from task_payloads p left join tasks t on t.id = p.task_id
      join runs r on r.id = coalesce(t.run_id, p.task_id)
      where p.artifact_id = any($1::uuid[]) and not exists (select 1 from run_deletions d where d.run_id = r.id)
      order by p.artifact_id, r.created_at desc`,
    values: [artifactIds],
  })
  return new Map(rows.map((row) => [row.artifact_id, row.run_id]))
}
