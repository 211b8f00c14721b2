import type { Queryable } from '@millrace/postgres'
import { type RunRequest, requestColumns } from './run-requests.js'

/**
 * Workflows that go, or are gone, and still have requests that wait. Steps from workflow to workflow through the index:
 * one look-up for each that has any, however many requests wait behind a paused one.
 */
export async function findReleasable(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>({
    name: 'find-releasable',
    text: `with recursive found as (
       (select workflow_id as id from run_requests where waiting order by workflow_id limit 1)
       union all
       select (select r.workflow_id from run_requests r where r.waiting and r.workflow_id > found.id
         order by r.workflow_id limit 1)
       from found where found.id is not null
     )
     select f.id from found join workflows f using (id) where not f.paused or f.archived_at is not null`,
  })
  return rows.map((row) => row.id)
}

/** The share lock makes a pause wait for the slice under way, so nothing is released after a pause was answered. */
export async function lockReleasable(db: Queryable, workflowId: string): Promise<{ archived: boolean } | undefined> {
  const { rows } = await db.query<{ paused: boolean; archived: boolean }>(
    'select paused, archived_at is not null as archived from workflows where id = $1 for share',
    [workflowId],
  )
  const [row] = rows
  return row === undefined || (row.paused && !row.archived) ? undefined : { archived: row.archived }
}

export async function lockWaiting(db: Queryable, workflowId: string, limit: number): Promise<RunRequest[]> {
  const { rows } = await db.query<RunRequest>(
    `select ${requestColumns} from run_requests where waiting and workflow_id = $1
     order by created_at, id limit $2 for update skip locked`,
    [workflowId, limit],
  )
  return rows
}

export async function lockWaitingRun(db: Queryable, runId: string): Promise<RunRequest | undefined> {
  const { rows } = await db.query<RunRequest>(
    `select ${requestColumns} from run_requests where waiting and id = $1 for update`,
    [runId],
  )
  return rows[0]
}

export async function markReleased(db: Queryable, ids: readonly string[], hold: boolean): Promise<void> {
  await db.query('update run_requests set waiting = false, hold = hold or $2 where id = any($1::uuid[])', [ids, hold])
}

/** False when the run does not wait (any more): then the scheduler decides. */
export async function holdWaiting(db: Queryable, runId: string, hold: boolean): Promise<boolean> {
  const result = await db.query('update run_requests set hold = $2 where id = $1 and waiting', [runId, hold])
  return (result.rowCount ?? 0) > 0
}

/** How many wait behind each of these workflows; one that has none is left out. */
export async function countWaitingRequests(
  db: Queryable,
  workflowIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ id: string; count: number }>({
    name: 'count-waiting-requests',
    text: `select workflow_id as id, count(*)::int as count from run_requests
      where waiting and workflow_id = any($1::uuid[]) group by workflow_id`,
    values: [workflowIds],
  })
  return new Map(rows.map(({ id, count }) => [id, count]))
}
