import type { Queryable } from '@millrace/postgres'
import { insertEvents } from './event-sql.js'

export interface ReportedProgress {
  leaseId: string
  percent: number | null
  message: string
}

/** What the engine's `ProgressReports` writes through. */
export interface ProgressStore {
  record(sessionId: string, reported: readonly ReportedProgress[]): Promise<string[]>
  sweep(): Promise<void>
}

export const progressStore = (client: Queryable): ProgressStore => ({
  record: (sessionId, reported) => recordProgress(client, sessionId, reported),
  sweep: () => sweepProgress(client),
})

/** One statement for all that a heartbeat brings; what has not changed is not written. Gives the runs that it touched. */
async function recordProgress(
  client: Queryable,
  sessionId: string,
  reported: readonly ReportedProgress[],
): Promise<string[]> {
  const result = await client.query<{ run_id: string }>({
    name: 'record-progress',
    text: `
with clock as (select clock_timestamp() as now),
given as (select * from unnest($2::uuid[], $3::float8[], $4::text[]) as g(lease_id, percent, message)),
held as (
  -- Once each, whatever a worker repeats: a row may not be written twice by one insert.
  select distinct on (t.id) t.id, t.run_id, t.project_id, t.rev, g.lease_id, g.percent, g.message
  from given g join tasks t on t.session_id = $1 and t.status = 'running' and t.lease_id = g.lease_id
),
written as (
  insert into task_progress as p (task_id, lease_id, percent, message, number)
  select id, lease_id, percent, message, 1 from held order by id
  on conflict (task_id) do update
    set lease_id = excluded.lease_id, percent = excluded.percent, message = excluded.message, number = p.number + 1
    where (p.lease_id, p.percent, p.message) is distinct from (excluded.lease_id, excluded.percent, excluded.message)
  returning task_id
),
changed as (select t.* from held t join written w on w.task_id = t.id),
${insertEvents('publish', {
  topic: `'task.progress'`,
  runId: 't.run_id',
  subject: 't.id',
  sequence: 't.rev',
  traceparent: 'r.traceparent',
  data: `json_build_object('taskId', t.id, 'runId', t.run_id, 'projectId', t.project_id)`,
  from: 'changed t join runs r on r.id = t.run_id, clock',
})}
select run_id from changed`,
    values: [
      sessionId,
      reported.map(({ leaseId }) => leaseId),
      reported.map(({ percent }) => percent),
      reported.map(({ message }) => message),
    ],
  })
  return result.rows.map((row) => row.run_id)
}

/** Rows of attempts that are over. */
async function sweepProgress(client: Queryable): Promise<void> {
  await client.query({
    name: 'sweep-progress',
    text: `delete from task_progress where task_id in (
      select p.task_id from task_progress p
      where not exists (select 1 from tasks t where t.id = p.task_id and t.status = 'running' and t.lease_id = p.lease_id)
      limit 1000)`,
  })
}
