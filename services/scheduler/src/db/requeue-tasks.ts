import type { Queryable } from '@millrace/postgres'
import { failure } from '../domain/failure.js'
import { QueuePart } from '../domain/queue.js'
import { isCompensation } from './compensation.js'
import { taskUpdates } from './event-sql.js'
import { freedDetail, freeHolds, releaseParts } from './limits/release-fragment.js'
import type { SlotKey } from './limits/slots.js'
import { lockedRuns } from './locked-runs.js'
import { insertQueue, partOf } from './queue-sql.js'

/** Losses of a worker that a task survives; the next one fails it. */
export const MAX_LOSSES = 5

export interface LostTask {
  run_id: string
  project_id: string
  queue: string
  /** Which of the leases that were given back it is, from 0; null when it was lost. */
  given: number | null
  /** Null: it stays out of the queue, because its run is paused or it was deferred. */
  queued_as: 'plain' | 'limited' | null
  /** Since the worker was last heard of, in seconds; null when its session is not even known, or lives. */
  silent_s: number | null
}

/** A task that stays where it is although its lease was given back: its run is being cancelled. */
export interface StoppedTask {
  run_id: string
  given: number
}

/** Tasks that went back, and the keys under which slots came free by that. */
export interface Requeued {
  readonly lost: readonly LostTask[]
  readonly freed: readonly SlotKey[]
  readonly stopped: readonly StoppedTask[]
}

/** Below every place that is drawn in the ordinary way, and a whole number in JavaScript too. */
export const FRONT = 1e15

/** What was leased is the oldest there is: it goes before what waits with the same priority, unless it is not to. */
const place = `nextval(pg_get_serial_sequence('task_queue', 'position')) - q.front * ${FRONT}::bigint`

/** What the event of a lost lease says became of it. */
export const lostWorker = failure('lost_worker', 'the worker was lost while it ran this task', 'lost_worker', true)

const lossOf = (row: string): string => `case when ${row}.loss > 0 then '${JSON.stringify(lostWorker)}' end`

const toQueue = `
clock as materialized (select clock_timestamp() as now from (select count(*) from loser) l),
requeued as (
  update tasks t set status = 'queued', rev = t.rev + 1, token = t.token + 1, lease_id = null, session_id = null,
    started_at = null, deadline_at = null, losses = t.losses + loser.loss, holds_slots = false
  from loser where t.id = loser.id
  returning t.*, loser.wait_ms, loser.detail, loser.held, loser.loss, loser.front, loser.given
),
queue as (
  ${insertQueue({
    row: 'q',
    child: 'q.idx >= 0',
    part: partOf('q.id', 'q.held'),
    position: place,
    from: `requeued q join run r on r.id = q.run_id and r.status <> 'paused' where q.wait_ms is null`,
  })}
  returning task_id, part
),
${taskUpdates('publish_updates', 'requeued', { runs: 'run', error: lossOf('t') })},
held as (
  insert into held_back (task_id, run_id, until, detail)
  select q.id, q.run_id, clock.now + make_interval(secs => q.wait_ms / 1000.0), q.detail
  from requeued q, clock where q.wait_ms is not null
  on conflict (task_id) do update set until = excluded.until, detail = excluded.detail
),
${freeHolds('requeued')},
${releaseParts(['freed_holds'])}
select json_build_object('run_id', q.run_id, 'project_id', q.project_id, 'queue', q.queue, 'given', q.given,
  'silent_s', loser.silent_s, 'queued_as', case p.part when ${QueuePart.plain} then 'plain' when ${QueuePart.limited} then 'limited' end
  ) as lost, null::json as freed, null::json as stopped
from requeued q join loser on loser.id = q.id left join queue p on p.task_id = q.id
union all
select null, ${freedDetail}, null from freed f`

interface RequeuedRow {
  lost: LostTask | null
  freed: SlotKey | null
  stopped: StoppedTask | null
}

const toRequeued = (rows: readonly RequeuedRow[]): Requeued => ({
  lost: rows.flatMap((row) => row.lost ?? []),
  freed: rows.flatMap((row) => row.freed ?? []),
  stopped: rows.flatMap((row) => row.stopped ?? []),
})

export interface HeldTask {
  taskId: string
  leaseId: string
  token: number
  /** Only from this session; whoever holds it without. */
  sessionId?: string
  /** Stays out of the queue for so long, and why. */
  wait?: { ms: number; detail: string } | undefined
  /** It goes before what waits with the same priority. Not what would be leased again at once, and in vain. */
  keepsPlace?: boolean
}

/** The lease is still what is given back; and whether its run, which is locked, is being cancelled. */
const givenLease = `t.status = 'running' and t.lease_id = g.lease_id and t.token = g.token
    and t.session_id = coalesce(g.session_id, t.session_id)`
const isCancelled = `run.status = 'cancelling' and not ${isCompensation}`

/**
 * Gives leases back to the queue: never started, or drained. Uses up no attempt and counts as no loss. Nothing of a run
 * that is being cancelled may begin any more: what is `stopped` is to be ended instead.
 */
export async function handBackTasks(client: Queryable, held: readonly HeldTask[]): Promise<Requeued> {
  const result = await client.query<RequeuedRow>({
    name: 'hand-back-tasks',
    text: `
with given as (
  select * from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::uuid[], $5::float8[], $6::text[], $7::int[])
    with ordinality as g(task_id, lease_id, token, session_id, wait_ms, detail, front, place)
),
${lockedRuns('select t.run_id from tasks t join given g on g.task_id = t.id')},
loser as materialized (
  select t.id, 0 as loss, g.front, t.holds_slots as held, null::float8 as silent_s, g.wait_ms, g.detail,
    (g.place - 1)::int as given
  from tasks t join given g on g.task_id = t.id join run on run.id = t.run_id
  where ${givenLease} and not (${isCancelled})
  order by t.id for update of t
),
stopped as (
  select t.run_id, (g.place - 1)::int as given from tasks t join given g on g.task_id = t.id join run on run.id = t.run_id
  where ${givenLease} and ${isCancelled}
),${toQueue}
union all
select null, null, json_build_object('run_id', x.run_id, 'given', x.given) from stopped x`,
    values: [
      held.map((h) => h.taskId),
      held.map((h) => h.leaseId),
      held.map((h) => h.token),
      held.map((h) => h.sessionId ?? null),
      held.map((h) => h.wait?.ms ?? null),
      held.map((h) => h.wait?.detail ?? ''),
      held.map((h) => (h.keepsPlace ? 1 : 0)),
    ],
  })
  return toRequeued(result.rows)
}

/** Looked at twice: as the statement finds it, and again under its lock. */
const isLost = `t.status = 'running' and (s.id is null or s.state = 'ended')
  and (r.status <> 'cancelling' or ${isCompensation}) and t.losses < $2`

/**
 * Requeues running tasks whose session is not live any more, in slices. Tasks of a run that is being cancelled stay: its
 * deadline ends them. The task lost once too often stays as well and is failed on the locked path.
 */
export async function requeueLostTasks(client: Queryable, limit: number): Promise<Requeued> {
  const result = await client.query<RequeuedRow>({
    name: 'requeue-lost-tasks',
    text: `
with lost as materialized (
  select t.id, t.run_id, extract(epoch from clock_timestamp() - s.seen_at)::float8 as silent_s from tasks t
  join runs r on r.id = t.run_id
  left join sessions s on s.id = t.session_id
  where ${isLost}
  limit $1
),
${lockedRuns('select run_id from lost')},
loser as materialized (
  select t.id, 1 as loss, 1 as front, t.holds_slots as held, lost.silent_s, null::float8 as wait_ms, '' as detail,
    null::int as given
  from tasks t join lost on lost.id = t.id join run r on r.id = t.run_id
  left join sessions s on s.id = t.session_id
  where ${isLost}
  for update of t skip locked
),${toQueue}`,
    values: [limit, MAX_LOSSES],
  })
  return toRequeued(result.rows)
}

export interface ExpiredTask {
  run_id: string
  id: string
  token: number
  lease_id: string
  losses: number
  why: 'timeout' | 'lost'
}

/** Running tasks that the engine has to give up: past their time, or lost once too often. */
export async function findExpiredTasks(client: Queryable, limit: number): Promise<ExpiredTask[]> {
  const result = await client.query<ExpiredTask>({
    name: 'find-expired-tasks',
    text: `
(select run_id, id, token, lease_id, losses, 'timeout' as why from tasks
  where status = 'running' and deadline_at < clock_timestamp() limit $1)
union all
(select t.run_id, t.id, t.token, t.lease_id, t.losses, 'lost' from tasks t
  left join sessions s on s.id = t.session_id and s.state <> 'ended'
  where t.status = 'running' and s.id is null and t.losses >= $2 limit $1)`,
    values: [limit, MAX_LOSSES],
  })
  return result.rows
}
