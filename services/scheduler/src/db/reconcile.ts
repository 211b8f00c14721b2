import type { Queryable } from '@millrace/postgres'
import { insertQueue, partOf } from './queue-sql.js'

/** Queued tasks that stand in no queue: put back. */
export async function restoreLostQueueRows(client: Queryable, limit: number): Promise<number> {
  const result = await client.query({
    name: 'restore-lost-queue-rows',
    text: insertQueue({
      row: 't',
      child: 't.idx >= 0',
      part: partOf('t.id'),
      from: `runs r join tasks t on t.run_id = r.id
where r.finished_at is null and r.status not in ('paused', 'queued') and t.status = 'queued' and t.queued_at < clock_timestamp() - interval '2 seconds'
  and not exists (select 1 from task_queue q where q.task_id = t.id)
  and not exists (select 1 from held_back h where h.task_id = t.id)
limit $1`,
    }),
    values: [limit],
  })
  return result.rowCount ?? 0
}

/** Places in the queue whose task is not queued: taken away. */
export async function removeDeadQueueRows(client: Queryable, limit: number): Promise<number> {
  const result = await client.query({
    name: 'remove-dead-queue-rows',
    text: `
with dead as (
  select q.task_id from task_queue q left join tasks t on t.id = q.task_id
  where t.id is null or t.status <> 'queued' limit $1
  for update of q skip locked
)
delete from task_queue q using dead where q.task_id = dead.task_id
  and not exists (select 1 from tasks t where t.id = q.task_id and t.status = 'queued')`,
    values: [limit],
  })
  return result.rowCount ?? 0
}

/** Runs that have not ended and in which nothing can move by itself. */
export async function findStuckRuns(client: Queryable, limit: number): Promise<string[]> {
  const result = await client.query<{ id: string }>({
    name: 'find-stuck-runs',
    text: `
select r.id from runs r
where r.finished_at is null and r.status in ('running', 'cancelling')
  and r.created_at < clock_timestamp() - interval '5 seconds'
  and not exists (select 1 from tasks t where t.run_id = r.id and t.status in ('queued', 'running', 'waiting'))
  and not exists (select 1 from timers t where t.run_id = r.id and t.kind in ('retry', 'cancel-deadline', 'advance'))
limit $1`,
    values: [limit],
  })
  return result.rows.map((row) => row.id)
}

export interface Overdue {
  timers: number
  inbox: number
}

/** What the loops should have carried by now. */
export async function countOverdue(client: Queryable): Promise<Overdue> {
  const result = await client.query<Overdue>({
    name: 'count-overdue',
    text: `
select
  (select count(*) from timers where due_at < clock_timestamp() - interval '2 seconds')::int as timers,
  (select count(*) from run_inbox i join runs r on r.id = i.run_id
    where i.created_at < clock_timestamp() - interval '1 second')::int as inbox`,
  })
  return result.rows[0] ?? { timers: 0, inbox: 0 }
}
