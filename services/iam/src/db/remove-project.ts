import { crashPoint } from '@millrace/crash-point'
import type { Queryable } from '@millrace/postgres'

/** Children first; each statement removes at most `limit` rows, so that no transaction gets long. */
const statements: readonly string[] = [
  `delete from secrets where (project_id, name) in (select project_id, name from secrets where project_id = $1 limit $2)`,
  `delete from api_keys where id in (select id from api_keys where project_id = $1 limit $2)`,
  `delete from service_accounts where id in (select id from service_accounts where project_id = $1 limit $2)`,
  `delete from invitations where id in (select id from invitations where project_id = $1 limit $2)`,
  `delete from members where (project_id, user_id) in
     (select project_id, user_id from members where project_id = $1 limit $2)`,
  `delete from idempotency_keys where ctid = any (array(
     select ctid from idempotency_keys where project_id = $1 limit $2))`,
  `delete from daily_usage where ctid = any (array(select ctid from daily_usage where project_id = $1 limit $2))`,
  `delete from open_streams where id in (select id from open_streams where project_id = $1 limit $2)`,
  `delete from reported_storage where project_id in
     (select project_id from reported_storage where project_id = $1 limit $2)`,
  // Whoever had it as their default has the oldest of their others.
  `update users set default_project_id = null where id in (select id from users where default_project_id = $1 limit $2)`,
  `delete from projects where id in (select id from projects where id = $1 and archived_at is not null limit $2)`,
]

/** Safe to repeat: what is gone is gone. A project that is not archived keeps its row, and with it everything. */
export async function removeProject(db: Queryable, projectId: string, limit = 1000): Promise<void> {
  const { rows } = await db.query('select 1 from projects where id = $1 and archived_at is null', [projectId])
  if (rows.length > 0) return
  for (const statement of statements) {
    let removed: number
    do {
      removed = (await db.query(statement, [projectId, limit])).rowCount ?? 0
    } while (removed === limit)
    crashPoint('iam.deletion.statement')
  }
}
