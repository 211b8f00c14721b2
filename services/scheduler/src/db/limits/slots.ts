import type { Queryable } from '@millrace/postgres'
import { emptyWindow, type RateWindow } from '../../domain/limits/rate-window.js'
import { type Slot, slotName } from '../../domain/limits/task-limits.js'

/** What is counted together: of tasks, of a queue, or of a workflow's runs. */
export interface SlotKey {
  readonly projectId: string
  readonly scope: string
  readonly key: string
}

/** A key that somebody waits for. */
export interface ParkedKey extends SlotKey {
  /** Of a rate without room: how long until it has some. A slot comes free when somebody ends. */
  readonly freeInMs: number | null
}

interface SlotRow {
  project_id: string
  scope: string
  key: string
  in_use: number
  starts: RateWindow | null
}

const MAX_TRIES = 3

const columnsOf = (keys: readonly SlotKey[]) => [
  keys.map(({ projectId }) => projectId),
  keys.map(({ scope }) => scope),
  keys.map(({ key }) => key),
]

const wanted = 'unnest($1::uuid[], $2::text[], $3::text[]) as k(project_id, scope, key)'
const sameKey = 's.project_id = k.project_id and s.scope = k.scope and s.key = k.key'

/**
 * Locks the rows of these keys, in key order, and gives what they hold with the time read after the last lock. Rows that
 * are missing are made first, before any lock: whoever waits for somebody else's new row then holds no lock that another
 * one waits for.
 */
export async function lockSlots(
  tx: Queryable,
  keys: readonly SlotKey[],
): Promise<{ slots: Map<string, Slot>; nowMs: number }> {
  const distinct = [...new Map(keys.map((key) => [slotName(key.projectId, key), key])).values()]
  for (let tries = 0; ; tries += 1) {
    if (distinct.length > 0) await makeSlots(tx, distinct)
    const result = await tx.query<SlotRow & { now_ms: number }>({
      name: 'lock-slots',
      text: `
with locked as materialized (
  select s.project_id, s.scope, s.key, s.in_use, s.starts from slots s join ${wanted} on ${sameKey}
  order by s.project_id, s.scope, s.key
  for update of s
),
clock as materialized (
  select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms from (select count(*) from locked) l
)
select clock.now_ms, locked.* from clock left join locked on true`,
      values: columnsOf(distinct),
    })
    const slots = new Map<string, Slot>()
    for (const row of result.rows) {
      if (row.key === null) continue
      slots.set(slotName(row.project_id, row), { inUse: row.in_use, window: row.starts ?? emptyWindow })
    }
    if (slots.size === distinct.length) return { slots, nowMs: result.rows[0]?.now_ms ?? 0 }
    // An idle row may have been cleared away between the two.
    if (tries === MAX_TRIES) throw new Error('slots were cleared away as often as they were made')
  }
}

async function makeSlots(tx: Queryable, keys: readonly SlotKey[]): Promise<void> {
  await tx.query({
    name: 'make-slots',
    text: `
insert into slots (project_id, scope, key)
select k.project_id, k.scope, k.key from ${wanted} order by k.project_id, k.scope collate "C", k.key collate "C"
on conflict do nothing`,
    values: columnsOf(keys),
  })
}
