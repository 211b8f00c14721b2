import type { Queryable } from '@millrace/postgres'

export interface ProjectRetention {
  projectId: string
  /** Null: not said. 0: for ever. */
  keepMs: number | null
  at: string
}

/** The latest word stands, in whatever order they come. One that says nothing stays as well: it may be the latest. */
export async function saveProjectRetention(db: Queryable, { projectId, keepMs, at }: ProjectRetention): Promise<void> {
  await db.query(
    `insert into project_retention as p (project_id, keep_ms, at) values ($1, $2, $3)
     on conflict (project_id) do update set keep_ms = excluded.keep_ms, at = excluded.at where p.at <= excluded.at`,
    [projectId, keepMs, at],
  )
}
