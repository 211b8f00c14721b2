import type { Queryable } from '@millrace/postgres'
import { CANCEL_GRACE_MS } from '../domain/cancel.js'
import type { MapEnding } from '../domain/effects.js'
import type { Failure } from '../domain/failure.js'
import type { TaskStatus } from '../domain/task-state.js'
import { HARD } from './item-sql.js'

/** A map that has something to be done: items to be made, or to be ended. */
export interface MapWork {
  run_id: string
  ordinal: number
  task_id: string
  round: number
  run_rev: number
  made: number
  total: number
  /** Items that may begin now. */
  room: number
  ending: MapEnding | null
}

/** One that a stop ends at once. */
const hasIdleChild = `exists (
      select 1 from tasks t where t.run_id = g.run_id and t.ordinal = g.ordinal and t.idx >= 0
        and t.status in ('queued', 'delayed', 'waiting')
    )`

/** Groups `g` that can be moved on. */
export const mapHasWork = `g.closed_at is null
  and (g.ending in ${HARD} or (g.ending = 'stop' and (g.open <= 0 or ${hasIdleChild}))
    or (g.ending is null and not g.paused and g.made < g.total and g.open < g.max_parallel))`

/** Groups that can be moved on. `except` names runs whose groups could not be, a moment ago. */
export async function findMapWork(client: Queryable, limit: number, except: readonly string[]): Promise<MapWork[]> {
  const result = await client.query<MapWork>({
    name: 'find-map-work',
    text: `
select g.run_id, g.ordinal, g.task_id, g.round, g.run_rev, g.made, g.total, g.max_parallel - g.open as room, g.ending
from map_groups g
where g.run_id <> all($2::uuid[]) and ${mapHasWork}
order by g.run_id, g.ordinal limit $1`,
    values: [limit, except],
  })
  return result.rows
}

/** The items of a map as JSON text. They never change. */
export async function loadMapItems(client: Queryable, runId: string, ordinal: number): Promise<string | undefined> {
  const result = await client.query<{ items: string }>({
    name: 'load-map-items',
    text: 'select items::text as items from map_groups where run_id = $1 and ordinal = $2',
    values: [runId, ordinal],
  })
  return result.rows[0]?.items
}

/** A map item, with what its group says of it. */
export interface ItemRow {
  id: string
  run_id: string
  ordinal: number
  idx: number
  status: TaskStatus
  attempt: number
  max_attempts: number
  token: number
  lease_id: string | null
  session_id: string | null
  holds_slots: boolean
  error: Failure | null
  run_rev: number
  ending: MapEnding | null
  paused: boolean
  closed: boolean
  late: boolean
}

const itemColumns = `t.id, t.run_id, t.ordinal, t.idx, t.status, t.attempt, t.max_attempts, t.token, t.lease_id, t.session_id,
  t.holds_slots, t.error, g.run_rev, g.ending, g.paused, g.closed_at is not null as closed,
  coalesce(g.ending in ${HARD} and g.ending_at < clock_timestamp() - interval '${CANCEL_GRACE_MS} ms', false) as late`
const itemSource = 'tasks t join map_groups g on g.run_id = t.run_id and g.ordinal = t.ordinal'

export async function loadItems(client: Queryable, taskIds: readonly string[]): Promise<Map<string, ItemRow>> {
  if (taskIds.length === 0) return new Map()
  const result = await client.query<ItemRow>({
    name: 'load-items',
    text: `select ${itemColumns} from ${itemSource} where t.id = any($1::uuid[]) and t.idx >= 0`,
    values: [taskIds],
  })
  return new Map(result.rows.map((row) => [row.id, row]))
}

/** The items that a map has from this index up to (not including) that one. */
export async function loadItemsBetween(
  client: Queryable,
  map: MapPlace,
  from: number,
  to: number,
): Promise<Map<number, ItemRow>> {
  const result = await client.query<ItemRow>({
    name: 'load-items-between',
    text: `select ${itemColumns} from ${itemSource}
      where t.run_id = $1 and t.ordinal = $2 and t.idx >= $3 and t.idx < $4`,
    values: [map.run_id, map.ordinal, from, to],
  })
  return new Map(result.rows.map((row) => [row.idx, row]))
}

/** The items that a map which is ending has left: those that do not run, so many at a time, and those to be stopped. */
export async function loadOpenItems(client: Queryable, map: MapPlace, limit: number): Promise<ItemRow[]> {
  const result = await client.query<ItemRow>({
    name: 'load-open-items',
    text: `
select ${itemColumns} from ${itemSource}
where t.run_id = $1 and t.ordinal = $2 and t.idx >= 0 and g.ending is not null and g.closed_at is null
  and ((g.ending in ${HARD} and t.status = 'running') or t.id in (
    select o.id from tasks o where o.run_id = $1 and o.ordinal = $2 and o.idx >= 0
      and o.status in ('queued', 'delayed', 'waiting')
    limit $3
  ))`,
    values: [map.run_id, map.ordinal, limit],
  })
  return result.rows
}

export interface MapEndRow {
  ordinal: number
  ending: MapEnding | null
  total: number
  output_bytes: number
}

export async function loadMapEnd(client: Queryable, runId: string, taskId: string): Promise<MapEndRow | undefined> {
  const result = await client.query<MapEndRow>({
    name: 'load-map-end',
    text: 'select ordinal, ending, total, output_bytes from map_groups where run_id = $1 and task_id = $2',
    values: [runId, taskId],
  })
  return result.rows[0]
}

export interface ItemEndRow {
  idx: number
  status: TaskStatus
  error: Failure | null
  /** JSON text. */
  output: string | null
}

/** How each item of a map ended, in order. */
export async function loadItemEnds(client: Queryable, map: MapPlace, withOutputs: boolean): Promise<ItemEndRow[]> {
  const result = await client.query<ItemEndRow>({
    name: `load-item-ends-${withOutputs ? 'outputs' : 'only'}`,
    text: `
select t.idx, t.status, case when t.status = 'failed' then t.error end as error,
  ${withOutputs ? 'p.output::text' : 'null::text'} as output
from tasks t ${withOutputs ? `left join task_payloads p on p.task_id = t.id and t.status = 'succeeded'` : ''}
where t.run_id = $1 and t.ordinal = $2 and t.idx >= 0 order by t.idx`,
    values: [map.run_id, map.ordinal],
  })
  return result.rows
}

/**
 * Groups whose count of open items does not agree with their rows, which no statement should ever leave: put right,
 * and closed if nothing is left. The rows are counted in a statement of its own after the lock, hence two steps.
 */
export async function findUncountedMaps(client: Queryable, limit: number): Promise<MapPlace[]> {
  const result = await client.query<MapPlace>({
    name: 'find-uncounted-maps',
    text: `
select g.run_id, g.ordinal from map_groups g
where g.closed_at is null and (g.made = g.total or g.ending is not null)
  and not exists (
    select 1 from tasks t where t.run_id = g.run_id and t.ordinal = g.ordinal and t.idx >= 0
      and t.status in ('queued', 'running', 'delayed', 'waiting')
  )
limit $1`,
    values: [limit],
  })
  return result.rows
}

export interface MapPlace {
  run_id: string
  ordinal: number
}

/**
 * Takes the locks of open groups, in order; how many there are. A statement that waits for a group by itself has the
 * snapshot of its beginning, in which it finds none of the places in the queue that the holder of the lock gave to
 * items. What takes such places away locks first, and looks in a statement of its own.
 */
export async function lockMaps(tx: Queryable, places: readonly MapPlace[]): Promise<number> {
  const result = await tx.query({
    name: 'lock-groups',
    text: `
select 1 from map_groups g
where (g.run_id, g.ordinal) in (select run_id, ordinal from unnest($1::uuid[], $2::int[]) p (run_id, ordinal))
  and g.closed_at is null
order by g.run_id, g.ordinal for update`,
    values: [places.map(({ run_id }) => run_id), places.map(({ ordinal }) => ordinal)],
  })
  return result.rowCount ?? 0
}
