import { quotaExceeded } from '@millrace/errors'
import type { Queryable, Tx } from '@millrace/postgres'

/** The lock makes two that are created at once count each other. */
export async function assertRoomForWorkflow(tx: Tx, projectId: string, limit: number | null): Promise<void> {
  if (limit === null) return
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 30))', [`workflows:${projectId}`])
  if ((await countWorkflows(tx, projectId)) < limit) return
  throw quotaExceeded('workflows', `The project has at most ${limit} workflows.`)
}

/** Drafts that were never published are bounded by the same number; they are counted apart. */
export async function assertRoomForDraft(tx: Tx, projectId: string, limit: number | null): Promise<void> {
  if (limit === null) return
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 30))', [`workflows:${projectId}`])
  const { rows } = await tx.query<{ count: number }>(
    'select count(*)::int as count from drafts where project_id = $1 and workflow_id is null',
    [projectId],
  )
  if ((rows[0]?.count ?? 0) < limit) return
  throw quotaExceeded('workflows', `The project has at most ${limit} drafts.`)
}

export async function countWorkflows(db: Queryable, projectId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from workflows where project_id = $1 and archived_at is null and not hidden',
    [projectId],
  )
  return rows[0]?.count ?? 0
}
