import type { Queryable } from '@millrace/postgres'

export interface ArchivedWorkflow {
  projectId: string
  workflow: string
  archivedAt: Date
}

/** Repeatable: the bound comes from the time of archiving. A later workflow of the same name keeps its own files. */
export async function limitRetention(db: Queryable, archived: ArchivedWorkflow, days: number): Promise<void> {
  await db.query(
    `update artifacts set retain_until = least(retain_until, $3::timestamptz + make_interval(days => $4))
    where project_id = $1 and workflow = $2 and created_at <= $3`,
    [archived.projectId, archived.workflow, archived.archivedAt, days],
  )
}
