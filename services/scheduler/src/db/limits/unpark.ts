import type { Queryable } from '@millrace/postgres'
import { emptyWindow, type RateWindow, rateFreeAt } from '../../domain/limits/rate-window.js'
import { isRate, type LimitScope, roomUnder, type TaskLimit } from '../../domain/limits/task-limits.js'
import { QueuePart } from '../../domain/queue.js'
import type { ParkedKey, SlotKey } from './slots.js'

export interface Unparked {
  /** Tasks that are back in the ready part of the queue. */
  readonly tasks: number
  /** Rates without room, and when they have some. */
  readonly later: readonly ParkedKey[]
  /** Where to go on, when there are more keys than one search takes. */
  readonly next: SlotKey | null
}

/** Keys that one search takes. */
const SLICE = 500

/** The first that waits under a key, and what the key holds now. */
interface HeadRow {
  project_id: string
  scope: LimitScope
  key: string
  parked_limit: number
  parked_per_ms: number | null
  in_use: number | null
  starts: RateWindow | null
  now_ms: number
}

const heads = (keys: string) => `
select k.project_id, k.scope, k.key, h.parked_limit, h.parked_per_ms, s.in_use, s.starts,
  (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms
from (${keys}) k
cross join lateral (
  select q.parked_limit, q.parked_per_ms from task_queue q
  where q.project_id = k.project_id and q.parked_scope = k.scope and q.parked_key = k.key
  order by q.priority desc, q.position limit 1
) h
left join slots s on s.project_id = k.project_id and s.scope = k.scope and s.key = k.key`

/** One step down the index for each key, however many tasks are parked under it. */
const everyKey = `
with recursive step as (
  (select q.project_id, q.parked_scope as scope, q.parked_key as key from task_queue q
    where q.parked_key is not null and (q.project_id, q.parked_scope, q.parked_key) > ($1::uuid, $2::text, $3::text)
    order by q.project_id, q.parked_scope, q.parked_key limit 1)
  union all
  select n.* from step cross join lateral (
    select q.project_id, q.parked_scope, q.parked_key from task_queue q
    where q.parked_key is not null and (q.project_id, q.parked_scope, q.parked_key) > (step.project_id, step.scope, step.key)
    order by q.project_id, q.parked_scope, q.parked_key limit 1
  ) n
)
select project_id, scope, key from step limit $4::int`

/** Looks at these keys and lets go on who has room there. Begin it after what came free has committed. */
export async function unpark(client: Queryable, keys: readonly SlotKey[]): Promise<Unparked> {
  const result = await client.query<HeadRow>({
    name: 'parked-under',
    text: heads('select * from unnest($1::uuid[], $2::text[], $3::text[]) as k(project_id, scope, key)'),
    values: [keys.map(({ projectId }) => projectId), keys.map(({ scope }) => scope), keys.map(({ key }) => key)],
  })
  return { ...(await proceed(client, result.rows)), next: null }
}

/** The same for every key, slice by slice: whatever was missed is found here. */
export async function unparkAll(client: Queryable, after: SlotKey | null): Promise<Unparked> {
  const from = after ?? { projectId: '00000000-0000-0000-0000-000000000000', scope: '', key: '' }
  const result = await client.query<HeadRow>({
    name: 'parked-anywhere',
    text: heads(everyKey),
    values: [from.projectId, from.scope, from.key, SLICE],
  })
  const last = result.rows.length === SLICE ? result.rows.at(-1) : undefined
  const next = last ? { projectId: last.project_id, scope: last.scope, key: last.key } : null
  return { ...(await proceed(client, result.rows)), next }
}

async function proceed(client: Queryable, rows: readonly HeadRow[]): Promise<Omit<Unparked, 'next'>> {
  const withRoom: { row: HeadRow; room: number }[] = []
  const later: ParkedKey[] = []
  for (const row of rows) {
    const room = roomFor(row)
    if (room > 0) withRoom.push({ row, room })
    else if (isRate(row)) {
      const rate = { limit: row.parked_limit, perMs: row.parked_per_ms ?? 0 }
      const freeInMs = rateFreeAt(row.starts ?? emptyWindow, rate, row.now_ms) - row.now_ms
      later.push({ projectId: row.project_id, scope: row.scope, key: row.key, freeInMs })
    }
  }
  return { tasks: withRoom.length > 0 ? await unparkRows(client, withRoom) : 0, later }
}

function roomFor(row: HeadRow): number {
  const limit: TaskLimit = {
    scope: row.scope,
    key: row.key,
    limit: row.parked_limit,
    ...(row.parked_per_ms === null ? {} : { perMs: row.parked_per_ms }),
  }
  return roomUnder(limit, { inUse: row.in_use ?? 0, window: row.starts ?? emptyWindow }, row.now_ms)
}

async function unparkRows(client: Queryable, keys: readonly { row: HeadRow; room: number }[]): Promise<number> {
  const result = await client.query({
    name: 'unpark-rows',
    text: `
with going as materialized (
  select c.task_id from unnest($1::uuid[], $2::text[], $3::text[], $4::int[]) as k(project_id, scope, key, room)
  cross join lateral (
    select q.task_id from task_queue q
    where q.project_id = k.project_id and q.parked_scope = k.scope and q.parked_key = k.key
    order by q.priority desc, q.position limit k.room
    for update skip locked
  ) c
)
update task_queue q set part = ${QueuePart.limited}, parked_scope = null, parked_key = null, parked_limit = null, parked_per_ms = null
from going g where q.task_id = g.task_id`,
    values: [
      keys.map(({ row }) => row.project_id),
      keys.map(({ row }) => row.scope),
      keys.map(({ row }) => row.key),
      keys.map(({ room }) => room),
    ],
  })
  return result.rowCount ?? 0
}
