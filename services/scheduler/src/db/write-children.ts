import type { Queryable } from '@millrace/postgres'
import type { Pick } from '../domain/queue.js'
import { type ChildChangeRow, type ChildRows, childChangeSet } from './child-rows.js'
import { childFailures, childUpdates, ENDED, groupEnds, HARD, itemDeadLetters } from './child-sql.js'
import { createParameters } from './columns.js'
import { reportedResults } from './event-sql.js'
import { type LeasedRow, leasedDetail, leasedSource, leaseFragment } from './lease-fragment.js'
import { freedDetail, freeHolds, releaseParts } from './limits/release-fragment.js'
import type { SlotKey } from './limits/slots.js'
import { childTimerSet } from './make-children.js'
import { lockGroups } from './map-groups.js'
import { queueItems } from './queue-sql.js'

export interface ChildWriteResult {
  /** Children that won; one that is not here left no row. */
  readonly won: ReadonlySet<string>
  /** Runs of the groups that lost their last open child. */
  readonly closed: readonly string[]
  /** Some group has items left and room for them. */
  readonly hasRoom: boolean
  readonly leased: readonly LeasedRow[]
  /** Keys under which slots came free. */
  readonly freed: readonly SlotKey[]
}

interface Shape {
  outputs: boolean
  failures: boolean
  begins: boolean
  unqueues: boolean
  timers: boolean
  drops: boolean
  fired: boolean
  overdue: boolean
  claims: boolean
  /** Attempts end that may hold slots. */
  releases: boolean
  limits: boolean
  pick: boolean
}

/** Queued children end: see {@link lockGroups}. */
export const takesFromQueue = (rows: ChildRows): boolean => rows.changes.some((row) => row.expected === 'queued')

const shapeOf = (rows: ChildRows, pick: Pick): Shape => ({
  outputs: rows.changes.some((row) => row.output !== null),
  failures: rows.changes.some((row) => row.attemptFailed),
  begins: rows.changes.some((row) => row.status === 'queued'),
  unqueues: takesFromQueue(rows),
  timers: rows.timers.length > 0,
  drops: rows.dropsTimers,
  fired: rows.changes.some((row) => row.timerId !== null),
  overdue: rows.fired.length > 0,
  claims: rows.changes.some((row) => row.claim !== null),
  releases: rows.mayHoldSlots,
  limits: rows.changes.some((row) => row.limits !== null),
  pick: pick.max > 0,
})

interface Statement {
  name: string
  text: string
  bind(rows: ChildRows, pick: Pick): unknown[]
}

const statements = new Map<string, Statement>()

interface Row {
  kind: 'child' | 'group' | 'lease' | 'slot'
  id: string
  flag: boolean
  detail: LeasedRow | SlotKey | null
}

/**
 * A batch of changes to maps' children as one statement. The unit is the child: each wins if its row has the expected
 * status and lease and the timer that brought the change still stands, whatever becomes of the others; no run is locked
 * or written.
 *
 * Locks are taken on the groups, then on places in the queue, then on the children, each in order. The counts of a group
 * fall by the children that won; whoever brings them to nothing writes the group's end to the run's inbox. A child of a
 * map that is being cancelled ends `cancelled`, whatever its holder says. One that holds slots loses where the statement
 * would not give them back.
 */
export async function writeChildren(client: Queryable, rows: ChildRows, pick: Pick): Promise<ChildWriteResult> {
  const shape = shapeOf(rows, pick)
  const key = Object.values(shape).map(Number).join('')
  const statement = statements.get(key) ?? build(key, shape)
  statements.set(key, statement)
  const { name, text } = statement
  const result = await client.query<Row>({ name, text, values: statement.bind(rows, pick) })
  const won = new Set<string>()
  const closed: string[] = []
  const leased: LeasedRow[] = []
  const freed: SlotKey[] = []
  let hasRoom = false
  for (const row of result.rows) {
    if (row.kind === 'child') won.add(row.id)
    else if (row.kind === 'lease') leased.push(row.detail as LeasedRow)
    else if (row.kind === 'slot') freed.push(row.detail as SlotKey)
    else if (row.flag) closed.push(row.id)
    else hasRoom = true
  }
  return { won, closed, hasRoom, leased, freed }
}

/** The same where {@link takesFromQueue}, in a transaction. */
export async function writeChildrenLocked(tx: Queryable, rows: ChildRows, pick: Pick): Promise<ChildWriteResult> {
  await lockGroups(
    tx,
    rows.changes.map(({ runId, ordinal }) => ({ run_id: runId, ordinal })),
  )
  return writeChildren(tx, rows, pick)
}

function build(key: string, shape: Shape): Statement {
  const parameters = createParameters()
  const changes = parameters.rows(childChangeSet)
  const timers = shape.timers ? parameters.rows(childTimerSet) : null
  const overdue = shape.overdue ? parameters.next() : null
  const parts = [`change as materialized (select * from ${changes.sql})`, ...lockParts(shape), updated(shape)]
  if (shape.outputs || shape.begins) parts.push(paid)
  if (shape.begins) parts.push(queueItems('enqueued', 'updated', 't.limited'))
  if (shape.limits) parts.push(limits)
  if (shape.releases) parts.push(freeHolds('updated'), releaseParts(['freed_holds']))
  if (shape.unqueues) parts.push('dequeued as (delete from task_queue q using won w where q.task_id = w.id)')
  if (shape.failures) parts.push(childFailures('updated'), itemDeadLetters('updated'), retried)
  if (timers) parts.push(timed(timers.sql))
  if (shape.drops) parts.push(dropped)
  if (shape.fired) parts.push('fired as (delete from timers t using won w where t.id = w.timer_id)')
  if (overdue) parts.push(`overdue as (delete from timers t where t.id = any(${overdue}::bigint[]))`)
  if (shape.claims) parts.push(reportedResults('publish_results', 'updated'))
  parts.push(childUpdates('told', 'updated'), ...tallyParts)
  const lease = shape.pick ? leaseFragment(parameters.next) : null
  if (lease) parts.push(lease.sql.trim())
  return {
    name: `write-children-${key}`,
    text: `with\n${parts.join(',\n')}\n${results(shape)}`,
    bind: (rows, pick) => [
      ...changes.bind(rows.changes),
      ...(timers?.bind(rows.timers) ?? []),
      ...(overdue ? [rows.fired] : []),
      ...(lease?.bind(pick) ?? []),
    ],
  }
}

function lockParts(shape: Shape): string[] {
  return [
    `locked_groups as materialized (
  select g.* from map_groups g join (select distinct run_id, ordinal from change) c using (run_id, ordinal)
  order by g.run_id, g.ordinal for update of g
)`,
    ...(shape.unqueues
      ? [
          `locked_places as materialized (
  select q.task_id from task_queue q
  where q.task_id in (select id from change where expected = 'queued') and (select count(*) from locked_groups) >= 0
  order by q.task_id for update
)`,
        ]
      : []),
    `locked_tasks as materialized (
  select t.id, t.run_id, t.status, t.token, t.lease_id, t.session_id, t.holds_slots from tasks t
  where t.id in (select id from change) and (select count(*) from ${shape.unqueues ? 'locked_places' : 'locked_groups'}) >= 0
  order by t.id for update
)`,
    won(shape),
    `clock as materialized (select clock_timestamp() as now from (select count(*) from won) w)`,
  ]
}

const won = (shape: Shape) => `won as materialized (
  select c.*, case
      when g.ending in ${HARD} and c.status <> 'queued' then 'cancelled'
      when g.ending = 'stop' and c.status = 'delayed' then 'failed'
      else c.status end as final,
    g.paused
  from change c join locked_tasks t on t.id = c.id and t.run_id = c.run_id
    join locked_groups g on g.run_id = c.run_id and g.ordinal = c.ordinal
  where t.status = c.expected and g.closed_at is null
    and t.token = coalesce(c.token, t.token) and t.lease_id is not distinct from coalesce(c.lease_id, t.lease_id)
    and t.session_id is not distinct from coalesce(c.session_id, t.session_id)
    and (c.status not in ('queued', 'waiting') or (g.ending is null and not g.paused))${
      shape.releases ? '' : '\n    and not t.holds_slots'
    }${shape.fired ? '\n    and (c.timer_id is null or exists (select 1 from timers f where f.id = c.timer_id))' : ''}
)`

const updated = (shape: Shape) => `updated as (
  update tasks t set
    status = w.final, rev = t.rev + 1, attempt = coalesce(w.attempt, t.attempt),
    error = case when w.final = 'succeeded' then null else coalesce(w.error::json, t.error) end,
    token = t.token + case when w.fence then 1 else 0 end,
    lease_id = case when w.fence then null else t.lease_id end,
    losses = case when w.final = 'queued' then 0 else t.losses end,
    queued_at = case when w.final = 'queued' then clock.now else t.queued_at end,
    started_at = case when w.final in ('queued', 'waiting') then null else t.started_at end,
    deadline_at = null,
    finished_at = case when w.final in ${ENDED} then clock.now end${shape.releases ? ',\n    holds_slots = false' : ''}
  from won w, clock where t.id = w.id
  returning t.*, w.paused, w.dead_letter_id, w.error_class, w.attempt_failed, w.retry_delay_ms, w.output, w.output_bytes,
    w.input, w.limits, w.limited, w.claim, w.report_source, w.report_output, w.duration_ms, w.error as failure
)`

const paid = `paid as (
  insert into task_payloads (task_id, input, output)
  select u.id, case when u.status in ('queued', 'waiting') then u.input::json end,
    case when u.status = 'succeeded' then u.output::json end
  from updated u where (u.status = 'succeeded' and u.output is not null) or (u.status in ('queued', 'waiting') and u.input is not null)
  on conflict (task_id) do update set
    input = coalesce(excluded.input, task_payloads.input), output = coalesce(excluded.output, task_payloads.output)
)`

const limits = `limits as (
  insert into task_limits (task_id, limits) select u.id, u.limits::json from updated u where u.limits is not null
  on conflict (task_id) do update set limits = excluded.limits
)`

const retried = `retried as (
  insert into timers (run_id, task_id, kind, due_at)
  select u.run_id, u.id, 'retry', clock.now + make_interval(secs => u.retry_delay_ms / 1000.0)
  from updated u, clock where u.status = 'delayed' and not u.paused
)`

const dropped = `dropped as (
  delete from timers t using updated u
  where t.run_id = u.run_id and t.task_id = u.id and u.attempt_failed
    and (u.status <> 'delayed' or t.kind <> 'total-timeout')
)`

const timed = (timers: string) => `timed as (
  insert into timers (run_id, task_id, kind, due_at)
  select u.run_id, u.id, t.kind, clock.now + make_interval(secs => t.delay_ms / 1000.0)
  from ${timers} join updated u on u.id = t.task_id, clock
)`

const tallyParts = [
  `tally as (
  select run_id, ordinal, count(*)::int as ended, coalesce(sum(output_bytes) filter (where status = 'succeeded'), 0)::bigint as bytes
  from updated where status in ${ENDED} group by run_id, ordinal
)`,
  `tallied as (
  update map_groups g set open = g.open - y.ended, output_bytes = g.output_bytes + y.bytes,
    closed_at = case when (g.made = g.total or g.ending is not null) and g.open - y.ended <= 0 then clock.now end
  from tally y, clock where g.run_id = y.run_id and g.ordinal = y.ordinal
  returning g.*
)`,
  groupEnds('tallied'),
]

function results(shape: Shape): string {
  const children = `select 'child' as kind, u.id, false as flag, null::json as detail from updated u`
  const groups = `select 'group', g.run_id, g.closed_at is not null, null from tallied g
where g.closed_at is not null or (g.ending is null and not g.paused and g.made < g.total)`
  const leases = `select 'lease', l.id, false, ${leasedDetail} from ${leasedSource}`
  const slots = `select 'slot', null, false, ${freedDetail} from freed f`
  return [children, groups, ...(shape.pick ? [leases] : []), ...(shape.releases ? [slots] : [])].join('\nunion all\n')
}

export type { ChildChangeRow }
