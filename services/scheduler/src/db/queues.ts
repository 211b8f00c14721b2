import type { Queryable } from '@millrace/postgres'
import { EVERY_QUEUE, QueuePart } from '../domain/queue.js'
import type { QueueDefaults } from '../domain/queue-defaults.js'
import type { Profile } from '../profiles.js'
import { type QueueSettings, queueColumns } from './control.js'

export interface QueueView {
  name: string
  settings: QueueSettings | null
  updated_at: Date | null
  depth: number
  running: number
  parked: number
  oldest_ms: number
  workers: string[]
  /** Of all the project's queues. */
  waiting: number
}

export interface QueueFilter {
  projectId: string
  withShared: boolean
  /** Empty = all. */
  name: string
  after: string
  /** The depth of the queue `after`, where the deepest come first. */
  afterDepth?: number | undefined
  deepestFirst?: boolean
  limit: number
}

/** The oldest task of each kind and priority stands first in its part of the index: no walk over the backlog for it. */
const oldest = `
select min(t.queued_at) from
  (with recursive step as (
    (select uses from task_queue where project_id = $1 and queue = n.name order by uses limit 1)
    union all
    select x.uses from step, lateral (
      select q.uses from task_queue q where q.project_id = $1 and q.queue = n.name and q.uses > step.uses order by q.uses limit 1
    ) x
  ) select uses from step) k,
  generate_series(0, 9) as p(priority), generate_series(0, 2) as part(number),
  lateral (
    select q.task_id from task_queue q
    where q.project_id = $1 and q.queue = n.name and q.uses = k.uses and q.part = part.number
      and q.priority = p.priority
    order by q.position limit 1
  ) first join tasks t on t.id = first.task_id`

/** A project's queues: those with settings, with tasks, or named by its workers; `default` always. By name, or by depth. */
export async function listQueues(client: Queryable, filter: QueueFilter): Promise<QueueView[]> {
  const result = await client.query<QueueView>({
    name: 'list-queues',
    text: `
with waiting as materialized (
  select queue as name, count(*)::int as depth, count(*) filter (where part = ${QueuePart.parked})::int as parked
  from task_queue where project_id = $1 group by queue
),
live as materialized (
  select s.worker_id, s.queues from sessions s
  where s.state <> 'ended' and (s.project_id = $1 or (s.project_id is null and $2::boolean))
),
held as materialized (
  select t.queue as name, count(*)::int as running from sessions s join tasks t on t.session_id = s.id
  where s.state <> 'ended' and t.status = 'running' and t.project_id = $1 group by t.queue
),
names as (
  select 'default' as name union select name from queues where project_id = $1
  union select name from waiting union select name from held
  union select unnest(l.queues) from live l
)
select n.name, z.settings, z.updated_at, coalesce(w.depth, 0) as depth, coalesce(h.running, 0) as running,
  coalesce(w.parked, 0) as parked,
  coalesce(extract(epoch from clock_timestamp() - (${oldest})) * 1000, 0)::float8 as oldest_ms,
  array(select l.worker_id from live l where n.name = any(l.queues) or '${EVERY_QUEUE}' = any(l.queues) order by 1) as workers,
  (select coalesce(sum(depth), 0)::int from waiting) as waiting
from names n
  left join waiting w on w.name = n.name
  left join held h on h.name = n.name
  left join lateral (
    select q.updated_at, (select row_to_json(x) from (select ${queueColumns}) x) as settings
    from queues q where q.project_id = $1 and q.name = n.name
  ) z on true
where n.name <> '${EVERY_QUEUE}' and ($4 = '' or n.name = $4)
  and case when not $6::boolean or $3 = '' then n.name > $3 collate "C"
    else coalesce(w.depth, 0) < $7::int or (coalesce(w.depth, 0) = $7 and n.name > $3 collate "C") end
order by case when $6 then coalesce(w.depth, 0) end desc, n.name collate "C" limit $5`,
    values: [
      filter.projectId,
      filter.withShared,
      filter.after,
      filter.name,
      filter.limit,
      filter.deepestFirst ?? false,
      filter.afterDepth ?? 0,
    ],
  })
  return result.rows
}

export interface QueueChange {
  paused: boolean
  concurrency: number | null
  rateLimit: { limit: number; perMs: number } | null
  weight: number | null
  profile: Profile | null
  defaults: QueueDefaults | null
}

/** Under a lock, so that two changes of one queue do not undo each other. */
export async function lockQueue(
  client: Queryable,
  projectId: string,
  name: string,
): Promise<QueueSettings | undefined> {
  await client.query({
    name: 'make-queue',
    text: 'insert into queues (project_id, name) values ($1, $2) on conflict do nothing',
    values: [projectId, name],
  })
  const result = await client.query<QueueSettings>({
    name: 'lock-queue-settings',
    text: `select ${queueColumns} from queues q where q.project_id = $1 and q.name = $2 for update`,
    values: [projectId, name],
  })
  return result.rows[0]
}

export async function countQueues(client: Queryable, projectId: string): Promise<number> {
  const result = await client.query<{ count: number }>({
    name: 'count-queues',
    text: 'select count(*)::int as count from queues where project_id = $1',
    values: [projectId],
  })
  return result.rows[0]?.count ?? 0
}

export async function writeQueue(
  client: Queryable,
  projectId: string,
  name: string,
  change: QueueChange,
): Promise<void> {
  await client.query({
    name: 'write-queue',
    text: `
update queues set paused = $3, concurrency = $4, rate_limit = $5, rate_per_ms = $6, weight = $7, profile = $8,
  defaults = $9, updated_at = clock_timestamp()
where project_id = $1 and name = $2`,
    values: [
      projectId,
      name,
      change.paused,
      change.concurrency,
      change.rateLimit?.limit ?? null,
      change.rateLimit?.perMs ?? null,
      change.weight,
      change.profile,
      change.defaults === null ? null : JSON.stringify(change.defaults),
    ],
  })
}

export async function pausedQueues(client: Queryable, projectId: string): Promise<Set<string>> {
  const result = await client.query<{ name: string }>({
    name: 'paused-queues',
    text: 'select name from queues where project_id = $1 and paused',
    values: [projectId],
  })
  return new Set(result.rows.map((row) => row.name))
}

export interface Backlog {
  depth: number
  paused_queues: number
}

/** For the metrics; the count stops at 100,000. */
export async function countBacklog(client: Queryable): Promise<Backlog> {
  const result = await client.query<Backlog>({
    name: 'count-backlog',
    text: `
select (select count(*) from (select 1 from task_queue limit 100000) x)::int as depth,
  (select count(*) from queues where paused)::int as paused_queues`,
  })
  return result.rows[0] ?? { depth: 0, paused_queues: 0 }
}
