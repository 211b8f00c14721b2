import type { RetentionRule } from '@millrace/definition'
import type { Queryable } from '@millrace/postgres'

export interface SaidPolicy extends RetentionRule {
  projectId: string
  /** Empty: all of the project that say nothing themselves. */
  workflow: string
  at: string
}

/** The latest word stands, in whatever order they come. One that says nothing stays as well: it may be the latest. */
export async function savePolicy(db: Queryable, policy: SaidPolicy): Promise<void> {
  await db.query(
    `insert into retention_policies as p (project_id, workflow, keep_ms, keep_runs, at) values ($1, $2, $3, $4, $5)
     on conflict (project_id, workflow) do update
       set keep_ms = excluded.keep_ms, keep_runs = excluded.keep_runs, at = excluded.at
       where p.at <= excluded.at`,
    [policy.projectId, policy.workflow, policy.keepMs, policy.keepRuns, policy.at],
  )
}
