import type { Queryable } from '@millrace/postgres'
import { QueuePart } from '../domain/queue.js'

export interface QueueMeasure {
  queue: string
  ready: number
  parked: number
  /** Since the task that waits longest became ready; 0 where all that wait are paused. */
  oldest_seconds: number
}

export interface Measures {
  queues: QueueMeasure[]
  runs: { status: string; count: number }[]
  open_dead_letters: number
}

/** Names of queues are users' own: the deepest of them are told by name, and `default` always. */
const NAMED_QUEUES = 20

/** Counts stop here: a backlog beyond it is as long as anyone needs to know. */
const BOUND = 100_000

/**
 * What the metrics tell of the database, in one statement over bounded samples. The oldest task of a queue is the one
 * with the lowest position, so that no more than one row of `tasks` is read for each queue.
 */
export async function measure(client: Queryable): Promise<Measures> {
  const result = await client.query<Measures>({
    name: 'measure',
    text: `
with waiting as materialized (
  select w.task_id, w.queue, w.position, w.part = ${QueuePart.parked} as parked, coalesce(q.paused, false) as paused
  from (select * from task_queue limit ${BOUND}) w
    left join queues q on q.project_id = w.project_id and q.name = w.queue
),
depths as (
  select queue, count(*) filter (where not parked)::int as ready, count(*) filter (where parked)::int as parked,
    min(position) filter (where not parked and not paused) as first
  from waiting group by queue order by queue <> 'default', count(*) desc limit ${NAMED_QUEUES}
)
select
  (select coalesce(json_agg(json_build_object('queue', d.queue, 'ready', d.ready, 'parked', d.parked,
      'oldest_seconds', greatest(0, coalesce(extract(epoch from clock_timestamp() - t.queued_at), 0)))), '[]')
    from depths d left join waiting w on w.position = d.first left join tasks t on t.id = w.task_id) as queues,
  (select coalesce(json_agg(x), '[]') from (
    select status, count(*)::int as count
    from (select status from runs where finished_at is null limit ${BOUND}) r group by status) x) as runs,
  (select count(*) from (select 1 from dead_letters where state = 'open' limit ${BOUND}) x)::int as open_dead_letters`,
  })
  return result.rows[0] ?? { queues: [], runs: [], open_dead_letters: 0 }
}
