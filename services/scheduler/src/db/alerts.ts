import type { Queryable } from '@millrace/postgres'
import { insertEvents } from './event-sql.js'

/** One subject is told of once in this time; what happens meanwhile is counted in the next event. */
const QUIET = "interval '5 minutes'"

/**
 * CTEs that publish an event for each row of `source`, which has project_id, subject, times and data (json), one row for
 * each project and subject. The statement has a CTE `clock`. In the caller's statement, so that an event is written if and
 * only if what it speaks of is.
 */
export const publishAlerts = (topic: string, source: string): string => `
limit_alerts as (
  insert into alert_limits as l (project_id, topic, subject, at, told)
  select a.project_id, '${topic}', a.subject, clock.now, a.times from ${source} a, clock order by 1, 2, 3
  on conflict (project_id, topic, subject) do update set
    told = case when l.at <= excluded.at - ${QUIET} then l.since + excluded.told else l.told end,
    since = case when l.at <= excluded.at - ${QUIET} then 0 else l.since + excluded.told end,
    at = case when l.at <= excluded.at - ${QUIET} then excluded.at else l.at end
  returning l.project_id, l.subject, l.at, l.told
),
${insertEvents('publish_alerts', {
  topic: `'${topic}'`,
  runId: 'a.project_id',
  subject: 'a.subject',
  sequence: '0',
  traceparent: 'null::text',
  data: `(left(a.data::text, -1) || ',"count":' || l.told || '}')::json`,
  from: `${source} a join limit_alerts l on l.project_id = a.project_id and l.subject = a.subject, clock where l.at = clock.now`,
})}`

/** `worker.lost` for the rows of `source`, of table sessions as they ended. A shared worker's loss concerns those whose tasks it held. */
export const publishLostWorkers = (source: string): string => `
lost_work as (
  select coalesce(s.project_id, t.project_id) as project_id, s.name, s.worker_id, s.project_id is null as shared,
    count(t.id)::int as tasks
  from ${source} s left join tasks t on t.session_id = s.id and t.status = 'running'
  where s.lost and coalesce(s.project_id, t.project_id) is not null group by 1, 2, 3, 4
),
lost_workers as (
  select project_id, name as subject, count(*)::int as times, json_build_object('projectId', project_id, 'name', name,
    'shared', bool_or(shared), 'tasks', sum(tasks)::int, 'workerIds', (array_agg(worker_id order by worker_id))[1:20]) as data
  from lost_work group by project_id, name
),
${publishAlerts('worker.lost', 'lost_workers')}`

export interface MissedTicks {
  scheduleId: string
  reason: 'downtime' | 'refused'
  first: Date
  last: Date
  code?: string
  message?: string
}

/** In the transaction that passes over these ticks or ends them. */
export async function publishMissedTicks(tx: Queryable, missed: readonly MissedTicks[]): Promise<void> {
  if (missed.length === 0) return
  await tx.query({
    name: 'publish-missed-ticks',
    text: `
with clock as materialized (select clock_timestamp() as now),
missed_ticks as (
  select s.project_id, s.id::text as subject, 1 as times, json_build_object('projectId', s.project_id, 'scheduleId', s.id,
    'workflow', s.workflow, 'name', s.name, 'reason', m.reason, 'firstTick', m.first, 'lastTick', m.last, 'code', m.code,
    'message', m.message) as data
  from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
    as m (id, reason, first, last, code, message)
  join schedules s on s.id = m.id
),${publishAlerts('schedule.missed', 'missed_ticks')}
select 1`,
    values: [
      missed.map(({ scheduleId }) => scheduleId),
      missed.map(({ reason }) => reason),
      missed.map(({ first }) => first.toISOString()),
      missed.map(({ last }) => last.toISOString()),
      missed.map(({ code }) => code ?? ''),
      missed.map(({ message }) => message ?? ''),
    ],
  })
}

export interface BacklogTerms {
  tasks: number
  waitMs: number
}

/** Counts stop here: a longer backlog is told of as this one. */
const BOUND = 100_000

/**
 * Finds queues with as many ready tasks, or with one that waits as long, and tells of each once, until it is down to half
 * of both. Paused queues and tasks that wait for a limit are as somebody wanted them. Gives how many have a backlog.
 */
export async function watchBacklogs(client: Queryable, { tasks, waitMs }: BacklogTerms): Promise<number> {
  const result = await client.query<{ open: number }>({
    name: 'watch-backlogs',
    text: `
with clock as materialized (select clock_timestamp() as now),
depths as materialized (
  select w.project_id, w.queue, count(*)::int as depth, min(w.position) as first
  from (select project_id, queue, position from task_queue where parked_key is null limit ${BOUND}) w
    left join queues q on q.project_id = w.project_id and q.name = w.queue
  where not coalesce(q.paused, false) group by 1, 2
),
found as materialized (
  select d.*, extract(epoch from clock.now - t.queued_at) * 1000 as oldest_ms
  from depths d join task_queue w on w.position = d.first and w.project_id = d.project_id join tasks t on t.id = w.task_id, clock
),
begun as (
  insert into queue_backlogs (project_id, queue)
  select project_id, queue from found where depth >= $1 or oldest_ms >= $2 order by 1, 2
  on conflict do nothing returning project_id, queue
),
cleared as (
  delete from queue_backlogs b where not exists (select 1 from found f
    where f.project_id = b.project_id and f.queue = b.queue and (f.depth * 2 >= $1 or f.oldest_ms * 2 >= $2))
),
backlogs as (
  select f.project_id, f.queue as subject, 1 as times, json_build_object('projectId', f.project_id, 'queue', f.queue,
    'depth', f.depth, 'oldestMs', f.oldest_ms::bigint) as data
  from begun b join found f on f.project_id = b.project_id and f.queue = b.queue
),${publishAlerts('queue.backlog', 'backlogs')}
select (select count(*) from found where depth >= $1 or oldest_ms >= $2)::int as open`,
    values: [tasks, waitMs],
  })
  return result.rows[0]?.open ?? 0
}

/** Nobody's quiet time lasts that long. */
export async function forgetAlerts(client: Queryable, limit: number): Promise<void> {
  await client.query({
    name: 'forget-alerts',
    text: `delete from alert_limits where (project_id, topic, subject) in (select project_id, topic, subject from alert_limits
      where at < clock_timestamp() - interval '1 day' limit $1 for update skip locked)`,
    values: [limit],
  })
}
