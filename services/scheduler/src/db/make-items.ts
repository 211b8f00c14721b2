import type { Queryable } from '@millrace/postgres'
import { createParameters, double, int, nullable, type RowOf, text, uuid } from './columns.js'
import { groupEnds, itemDeadLetters, itemFailures, itemUpdates } from './item-sql.js'
import { queueItems } from './queue-sql.js'

/** Children of one map that begin together: the indices from `from` up to `to`, as far as they are not done already. */
export interface ItemSlice {
  runId: string
  ordinal: number
  round: number
  from: number
  to: number
  key: string
  name: string
  uses: string
  queue: string
  priority: number
  timeoutMs: number | null
  /** They are leased only together with slots. */
  limited: boolean
  children: NewItemRow[]
  timers: ItemTimerRow[]
}

export interface MadeSlice {
  /** Whether the group had its last open child before this. */
  closed: boolean
}

const childSet = {
  alias: 'c',
  columns: {
    ...{ id: uuid, idx: int, status: text, attempt: int, maxAttempts: int, error: nullable(text) },
    ...{ deadLetterId: nullable(uuid), input: nullable(text) },
    /** Of its own, as JSON text. */
    limits: nullable(text),
  },
}
export type NewItemRow = RowOf<typeof childSet.columns>

export const itemTimerSet = { alias: 't', columns: { taskId: uuid, kind: text, delayMs: double } }
export type ItemTimerRow = RowOf<typeof itemTimerSet.columns>

interface Statement {
  name: string
  text: string
  bind(slice: ItemSlice): unknown[]
}

const statements = new Map<string, Statement>()

/**
 * Makes a slice of a map's children, or takes up again those that failed in an earlier round. It holds the group's row,
 * and makes nothing if the map is ending, paused, or another scheduler was faster. Undefined then.
 */
export async function makeItems(client: Queryable, slice: ItemSlice): Promise<MadeSlice | undefined> {
  const failing = slice.children.some((child) => child.error !== null)
  const timed = slice.timers.length > 0
  const key = [failing, timed, slice.limited].map(Number).join('')
  const statement = statements.get(key) ?? build(key, { failing, timed, limited: slice.limited })
  statements.set(key, statement)
  const { name, text } = statement
  const result = await client.query<MadeSlice>({ name, text, values: statement.bind(slice) })
  return result.rows[0]
}

const sources = {
  grp: `grp as materialized (
  select g.* from map_groups g
  where g.run_id = $1 and g.ordinal = $2 and g.round = $3 and g.made = $4 and g.ending is null and not g.paused
    and g.closed_at is null
  for update
)`,
  clock: `clock as materialized (select clock_timestamp() as now from (select count(*) from grp) g)`,
}

// No part joins two sets of rows, so that a plan for few rows serves a thousand as well.
function build(key: string, { failing, timed, limited }: Record<'failing' | 'timed' | 'limited', boolean>): Statement {
  const parameters = createParameters()
  const scalars = Array.from({ length: 11 }, () => parameters.next())
  const [, , , , to, taskKey, name, uses, queue, priority, timeout] = scalars
  const children = parameters.rows(childSet)
  const timers = timed ? parameters.rows(itemTimerSet) : null
  const parts = [
    sources.grp,
    sources.clock,
    `child as materialized (select c.* from ${children.sql}, grp)`,
    `made as (
  insert into tasks (id, run_id, project_id, ordinal, key, idx, name, uses, queue, priority, status, attempt,
    max_attempts, timeout_ms, error, queued_at, finished_at)
  select c.id, g.run_id, g.project_id, g.ordinal, ${taskKey}, c.idx, ${name}, ${uses}, ${queue}, ${priority}, c.status,
    c.attempt, c.max_attempts, ${timeout}, c.error::json, case when c.status = 'queued' then clock.now end,
    case when c.status = 'failed' then clock.now end
  from child c, grp g, clock
  on conflict (id) do update set status = excluded.status, rev = tasks.rev + 1, attempt = excluded.attempt,
    max_attempts = excluded.max_attempts, error = coalesce(excluded.error, tasks.error), losses = 0,
    queued_at = excluded.queued_at, started_at = null, finished_at = excluded.finished_at
    where tasks.status in ('failed', 'skipped', 'cancelled')
  returning tasks.*
)`,
    `paid as (
  insert into task_payloads (task_id, input) select c.id, c.input::json from child c where c.input is not null
  on conflict (task_id) do update set input = excluded.input
)`,
    queueItems('enqueued', 'made', String(limited)),
    ...(limited ? [limits] : []),
    itemUpdates('told', 'made'),
    ...(failing ? failureParts : []),
    ...(timers
      ? [
          `timed as (
  insert into timers (run_id, task_id, kind, due_at)
  select g.run_id, t.task_id, t.kind, clock.now + make_interval(secs => t.delay_ms / 1000.0) from ${timers.sql}, grp g, clock
)`,
        ]
      : []),
    `grown as (
  update map_groups g set made = ${to}, open = g.open + n.live,
    closed_at = case when ${to} = g.total and g.open + n.live = 0 then clock.now end
  from (select count(*)::int as live from made where status <> 'failed') n, grp, clock
  where g.run_id = grp.run_id and g.ordinal = grp.ordinal
  returning g.*
)`,
    groupEnds('grown'),
  ]
  return {
    name: `make-children-${key}`,
    text: `with\n${parts.join(',\n')}\nselect closed_at is not null as closed from grown`,
    bind: (slice) => [
      ...[slice.runId, slice.ordinal, slice.round, slice.from, slice.to, slice.key, slice.name, slice.uses],
      ...[slice.queue, slice.priority, slice.timeoutMs],
      ...children.bind(slice.children),
      ...(timers?.bind(slice.timers) ?? []),
    ],
  }
}

const limits = `limits as (
  insert into task_limits (task_id, limits) select c.id, c.limits::json from child c where c.limits is not null
  on conflict (task_id) do update set limits = excluded.limits
)`

/** Expressions that went wrong: few, so these may join. */
const failureParts = [
  `spoilt as materialized (
  select m.*, c.dead_letter_id, true as attempt_failed from made m join child c on c.id = m.id
  where c.error is not null
)`,
  itemFailures('spoilt'),
  itemDeadLetters('spoilt'),
]
