import { appendEvents } from '@millrace/events'
import type { Queryable } from '@millrace/postgres'

/** Told again, it is looked through again: something may have come since. */
export async function noteDeletedProject(db: Queryable, projectId: string): Promise<void> {
  await db.query(
    `insert into deleted_projects (project_id) values ($1) on conflict (project_id) do update set emptied_at = null`,
    [projectId],
  )
}

export async function findDeleted(db: Queryable, projectIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ project_id: string }>(
    'select project_id from deleted_projects where project_id = any($1::uuid[])',
    [projectIds],
  )
  return new Set(rows.map((row) => row.project_id))
}

/** Deleted projects of which there is something, or of which nobody said yet that there is nothing. */
export async function findUnemptied(db: Queryable, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ project_id: string }>(
    `select d.project_id from deleted_projects d
     where d.emptied_at is null or exists (select 1 from runs r where r.project_id = d.project_id)
     order by d.at limit $1`,
    [limit],
  )
  return rows.map((row) => row.project_id)
}

/** No more runs by the clock. */
export async function deleteSchedules(db: Queryable, projectId: string): Promise<void> {
  await db.query('delete from schedules where project_id = $1', [projectId])
}

export async function findOpenRuns(db: Queryable, projectId: string, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    'select id from runs where project_id = $1 and finished_at is null order by created_at limit $2',
    [projectId, limit],
  )
  return rows.map((row) => row.id)
}

const settings = [
  'schedules',
  'queues',
  'slots',
  'slot_holds',
  'run_admissions',
  'retention_policies',
  'sessions',
  'queue_backlogs',
  'alert_limits',
]

/** Whatever of the project is no run; answers false while runs are left. In the caller's transaction. */
export async function emptyProject(tx: Queryable, projectId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `select 1 from runs where project_id = $1 union all (select 1 from tasks t join run_deletions d on d.run_id = t.run_id
       where t.project_id = $1 limit 1) limit 1`,
    [projectId],
  )
  if (rowCount !== 0) return false
  for (const table of settings) await tx.query(`delete from ${table} where project_id = $1`, [projectId])
  await tx.query('update deleted_projects set emptied_at = clock_timestamp() where project_id = $1', [projectId])
  await appendEvents(tx, 'scheduler', [{ topic: 'project.emptied', key: projectId, data: { projectId } }])
  return true
}

/** By then no event of theirs can come any more. */
export async function forgetDeletedProjects(db: Queryable): Promise<void> {
  await db.query(`delete from deleted_projects where emptied_at < clock_timestamp() - interval '8 days'`)
}
