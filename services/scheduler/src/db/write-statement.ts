import { createParameters } from './columns.js'
import { familyParts } from './family-parts.js'
import { leasedDetail, leasedSource, leaseFragment, type Pick, TIMEOUT_GRACE_MS } from './lease-fragment.js'
import { type LimitShape, limitParts, limitResults, limitShapeOf } from './limits/limit-parts.js'
import { mapParts } from './map-parts.js'
import { outputParts } from './output-parts.js'
import { rowSets } from './row-sets.js'
import type { WriteRows } from './write-rows.js'

/** What a batch needs of the statement. A part that has no rows is left out. */
export interface Shape extends LimitShape {
  births: boolean
  changes: boolean
  guards: boolean
  taskChanges: boolean
  attemptFailures: boolean
  payloads: boolean
  queued: boolean
  unqueued: boolean
  newTimers: boolean
  firedTimers: boolean
  ended: boolean
  suspended: boolean
  readInbox: boolean
  letters: boolean
  droppedTimers: boolean
  keptSignals: boolean
  takenSignals: boolean
  children: boolean
  messages: boolean
  copies: boolean
  childCopies: boolean
  mapOpens: boolean
  mapMarks: boolean
  mapPauses: boolean
  mapResumes: boolean
  childRetries: boolean
  largePayloads: boolean
  pick: boolean
}

export function shapeOf(rows: WriteRows, pick: Pick): Shape {
  return {
    births: rows.births.length > 0,
    changes: rows.changes.length > 0,
    guards: rows.guards.length > 0,
    taskChanges: rows.taskChanges.length > 0,
    attemptFailures: rows.taskChanges.some((row) => row.attemptFailed),
    payloads: rows.payloads.length > 0,
    queued: rows.queued.length > 0,
    unqueued: rows.unqueued.length > 0,
    newTimers: rows.newTimers.length > 0,
    firedTimers: rows.firedTimers.length > 0,
    ended: rows.changes.some((row) => row.ended),
    suspended: rows.changes.some((row) => row.dropRetries),
    readInbox: rows.readInbox.length > 0,
    letters: rows.letters.length > 0,
    droppedTimers: rows.droppedTimers.length > 0,
    keptSignals: rows.keptSignals.length > 0,
    takenSignals: rows.takenSignals.length > 0,
    children: rows.children.length > 0,
    messages: rows.messages.length > 0,
    copies: rows.copies.length > 0,
    childCopies: rows.childCopies.length > 0,
    mapOpens: rows.mapOpens.length > 0,
    mapMarks: rows.mapMarks.length > 0,
    mapPauses: rows.mapMarks.some((row) => row.paused === true),
    mapResumes: rows.mapMarks.some((row) => row.paused === false),
    childRetries: rows.childRetries.length > 0,
    largePayloads: rows.largePayloads.length > 0,
    pick: pick.max > 0,
    ...limitShapeOf(rows),
  }
}

export const shapeKey = (shape: Shape): string => Object.values(shape).map(Number).join('')

export interface Statement {
  readonly name: string
  readonly text: string
  bind(rows: WriteRows, pick: Pick): unknown[]
}

const isoTime = (expression: string) =>
  `coalesce(to_json(to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, '""')`

const deadline = (row: string) =>
  `clock.now + make_interval(secs => (${row}.timeout_ms + ${TIMEOUT_GRACE_MS}) / 1000.0)`

const hasEnded = (row: string) => `${row}.status in ('succeeded', 'failed', 'skipped', 'cancelled')`

/**
 * A whole batch of decisions as one statement: one round trip, one commit.
 *
 * Locks are taken on run rows, then on the task rows that are to end, both in id order. `applied` holds the runs that are
 * born here and those whose rev matched, all of whose guarded tasks are running under the expected lease, and all of whose
 * fired timers still stand (whatever calls one off raises the rev: timers need no lock). Every other CTE joins it: the unit
 * is the run, and a losing run leaves no row anywhere. A guard on a sibling CTE would not do: it is not undone by an update
 * that matched nothing.
 *
 * No row is written by two CTEs: a picked task is queued, a changed one is not. `clock` is read once, after the locks;
 * two calls could invert the order of two writes.
 *
 * The text holds only the parts that a batch needs. Each data-modifying part costs some 30 µs to set up even for no
 * rows; with all of them in one fixed text a report took 2.7 ms, and 1.9 ms in its own.
 */
export function buildStatement(shape: Shape): Statement {
  const binders: ((rows: WriteRows, pick: Pick) => unknown[])[] = []
  const parameters = createParameters()
  const use = <K extends keyof WriteRows>(key: K): string => {
    // The set of a key describes the rows of that key; the compiler cannot follow the pair through the index.
    const bound = parameters.rows(rowSets[key] as never)
    binders.push((rows) => bound.bind(rows[key] as never))
    return bound.sql
  }
  const parts = [
    ...lockParts(shape, use),
    ...taskParts(shape, use),
    ...mapParts(shape, use),
    ...followParts(shape, use),
    ...familyParts(shape, use),
    ...limitParts(shape, use),
    ...outputParts(shape, use),
    eventPart(use),
  ]
  if (shape.pick) {
    const lease = leaseFragment(parameters.next, 'clock')
    parts.push(lease.sql.trim())
    binders.push((_, pick) => lease.bind(pick))
  }
  const text = `with\n${parts.join(',\n')}\n${results(shape)}`
  return {
    name: `write-batch-${shapeKey(shape)}`,
    text,
    bind: (rows, pick) => binders.flatMap((bind) => bind(rows, pick)),
  }
}

type Use = (key: keyof WriteRows) => string

function lockParts(shape: Shape, use: Use): string[] {
  const parts: string[] = []
  if (shape.changes) {
    parts.push(`change as materialized (select * from ${use('changes')})`)
    parts.push(`locked as materialized (
  select r.id, r.rev from runs r where r.id in (select run_id from change) order by r.id for update
)`)
  }
  if (shape.guards) {
    parts.push(`guard as materialized (select * from ${use('guards')})`)
    parts.push(`locked_tasks as materialized (
  select t.id, t.status, t.token, t.lease_id, t.session_id${shape.releases ? '' : ', t.holds_slots'} from tasks t
  where t.id in (select task_id from guard) and (select count(*) from locked) >= 0
  order by t.id for update
)`)
  }
  if (shape.firedTimers) parts.push(`fired_timer as materialized (select * from ${use('firedTimers')})`)
  if (shape.changes) parts.push(wonPart(shape))
  parts.push(
    `clock as materialized (select clock_timestamp() as now${shape.changes ? ' from (select count(*) from won) w' : ''})`,
  )
  if (shape.births) parts.push(bornPart(use))
  if (shape.changes) parts.push(changedPart())
  const sources = [shape.births ? 'select * from born' : '', shape.changes ? 'select * from changed' : '']
  parts.push(`applied as (${sources.filter(Boolean).join(' union all ') || noRuns})`)
  return parts
}

/** Only a look into the queue. */
const noRuns =
  'select null::uuid as id, null::bigint as rev, null::timestamptz as started_at, null::timestamptz as finished_at where false'

/**
 * Written so that the planner expects a good part of the runs to win. With plain equality and `not exists` it expects one
 * row, and joins every event with every task in nested loops: 15 of the 20 ms that a batch of 36 runs took.
 */
function wonPart(shape: Shape): string {
  const lost = [shape.guards ? lostLease(shape) : '', shape.firedTimers ? lostTimer : ''].filter(Boolean)
  const conditions = [
    'case when l.rev = c.expected_rev then true else false end',
    ...lost.map((runs) => `c.run_id not in (${runs})`),
  ]
  return `won as materialized (
  select c.* from change c join locked l on l.id = c.run_id
  where ${conditions.join(' and ')}
)`
}

const lostLease = (shape: Shape) => `
    select g.run_id from guard g left join locked_tasks t on t.id = g.task_id
    where (t.id is null or t.status <> 'running' or t.token <> g.token or t.lease_id is distinct from g.lease_id
        or t.session_id is distinct from coalesce(g.session_id, t.session_id)${
          // Nobody knew that there is something to give back: decided again, on the road that reads it.
          shape.releases ? '' : ' or t.holds_slots'
        })
  `

const lostTimer = `
    select f.run_id from fired_timer f where not exists (select 1 from timers t where t.id = f.id)
  `

const bornPart = (use: Use) => `born as (
  insert into runs (id, project_id, workflow_id, workflow, version, version_id, status, reason, priority, labels,
    requested_by, traceparent, origin, queue_defaults, input, output, error, created_at, started_at, finished_at)
  select n.id, n.project_id, n.workflow_id, n.workflow, n.version, n.version_id, n.status, n.reason, n.priority,
    n.labels::json, n.requested_by, n.traceparent, n.origin::json, n.queue_defaults::json, n.input::json, n.output::json,
    n.error::json, n.created_at,
    case when n.started then clock.now end, case when n.ended then clock.now end
  from ${use('births')}, clock
  on conflict (id) do nothing
  returning id, rev, started_at, finished_at
)`

const changedPart = () => `changed as (
  update runs r set
    rev = r.rev + 1, status = w.status, reason = w.reason,
    output = case when w.set_output then w.output::json else r.output end,
    error = case when w.set_error then w.error::json else r.error end,
    generation = r.generation + case when w.reopened then 1 else 0 end,
    started_at = case when w.started then clock.now else r.started_at end,
    finished_at = case when w.ended then clock.now when w.reopened then null else r.finished_at end
  from won w, clock where r.id = w.run_id
  returning r.id, r.rev, r.started_at, r.finished_at
)`

function taskParts(shape: Shape, use: Use): string[] {
  const parts: string[] = []
  if (shape.births) parts.push(insertedPart(use))
  if (shape.taskChanges) parts.push(updatedPart(shape, use))
  const columns = 'id, rev, token'
  const sources = [
    shape.births ? `select ${columns} from inserted` : '',
    shape.taskChanges ? `select ${columns} from updated` : '',
  ].filter(Boolean)
  const none = 'select null::uuid as id, null::bigint as rev, null::bigint as token where false'
  parts.push(`touched as (${sources.join(' union all ') || none})`)
  return parts
}

const insertedPart = (use: Use) => `inserted as (
  insert into tasks (id, run_id, project_id, ordinal, key, name, uses, queue, priority, status, attempt, max_attempts,
    timeout_ms, error, token, lease_id, session_id, worker_id, queued_at, started_at, deadline_at, finished_at)
  select n.id, n.run_id, n.project_id, n.ordinal, n.key, n.name, n.uses, n.queue, n.priority, n.status, n.attempt,
    n.max_attempts, n.timeout_ms, n.error::json, case when n.lease_id is null then 0 else 1 end, n.lease_id,
    n.session_id, n.worker_id,
    case when n.status in ('queued', 'running') then clock.now end,
    case when n.status = 'running' then clock.now end,
    case when n.status = 'running' then ${deadline('n')} end,
    case when ${hasEnded('n')} then clock.now end
  from ${use('newTasks')} join born b on b.id = n.run_id, clock
  returning id, run_id, rev, token
)`

const updatedPart = (shape: Shape, use: Use) => `updated as (
  update tasks t set
    status = c.status, rev = t.rev + 1, attempt = c.attempt, max_attempts = c.max_attempts, error = c.error::json,
    token = t.token + case when c.fence or c.lease_id is not null then 1 else 0 end,
    lease_id = case when c.fence then null else coalesce(c.lease_id, t.lease_id) end,
    session_id = coalesce(c.session_id, t.session_id),
    worker_id = coalesce(c.worker_id, t.worker_id),
    losses = case when c.status in ('queued', 'running') then 0 else t.losses end,
    queued_at = case when c.status in ('queued', 'running') then clock.now else t.queued_at end,
    started_at = case c.status when 'running' then clock.now when 'queued' then null else t.started_at end,
    deadline_at = case when c.status = 'running' then ${deadline('t')} end,
    finished_at = case when ${hasEnded('c')} then clock.now end${shape.releases ? ',\n    holds_slots = false' : ''}
  from ${use('taskChanges')} join changed r on r.id = c.run_id, clock
  where t.id = c.id
  returning t.id, t.run_id, t.rev, t.token, t.attempt, t.worker_id, c.error as failure, c.attempt_failed
)`

/** What follows from the state: each part stands alone and joins `applied`. */
function followParts(shape: Shape, use: Use): string[] {
  const parts: string[] = []
  const add = (wanted: boolean, part: () => string) => {
    if (wanted) parts.push(part())
  }
  add(
    shape.attemptFailures,
    () => `failed as (
  insert into attempt_failures (task_id, attempt, at, worker_id, error)
  select u.id, u.attempt, clock.now, u.worker_id, u.failure::json from updated u, clock where u.attempt_failed
  on conflict (task_id, attempt) do update set at = excluded.at, worker_id = excluded.worker_id, error = excluded.error
)`,
  )
  add(
    shape.letters,
    () => `buried as (
  insert into dead_letters (id, project_id, run_id, task_id, class, error, at)
  select d.id, d.project_id, d.run_id, d.task_id, d.class, d.error::json, clock.now
  from ${use('letters')} join applied a on a.id = d.run_id, clock
)`,
  )
  add(
    shape.payloads,
    () => `paid as (
  insert into task_payloads (task_id, input, output)
  select p.task_id, p.input::json, p.output::json from ${use('payloads')} join applied a on a.id = p.run_id
  on conflict (task_id) do update set
    input = coalesce(excluded.input, task_payloads.input), output = coalesce(excluded.output, task_payloads.output)
)`,
  )
  add(
    shape.queued,
    () => `enqueued as (
  insert into task_queue (task_id, run_id, project_id, queue, uses, priority)
  select q.task_id, q.run_id, q.project_id, q.queue, q.uses, q.priority
  from ${use('queued')} join applied a on a.id = q.run_id
  on conflict (task_id) do nothing
)`,
  )
  add(
    shape.unqueued,
    () =>
      `dequeued as (delete from task_queue q using ${use('unqueued')}, applied a where a.id = u.run_id and q.task_id = u.task_id)`,
  )
  add(
    shape.newTimers,
    () => `timed as (
  insert into timers (run_id, task_id, kind, due_at)
  select t.run_id, t.task_id, t.kind, clock.now + make_interval(secs => t.delay_ms / 1000.0)
  from ${use('newTimers')} join applied a on a.id = t.run_id, clock
)`,
  )
  // What ended loses all its timers below, the fired one among them: a row is deleted by one part only.
  add(
    shape.firedTimers,
    () => `fired as (
  delete from timers t using fired_timer f, applied a where a.id = f.run_id and t.id = f.id
    and a.finished_at is null${shape.suspended ? ` and t.kind <> 'retry'` : ''}
)`,
  )
  add(
    shape.ended,
    () => 'dropped as (delete from timers t using applied a where t.run_id = a.id and a.finished_at is not null)',
  )
  add(
    shape.suspended,
    () => `suspended as (
  delete from timers t using won w where w.drop_retries and not w.ended and t.run_id = w.run_id and t.kind = 'retry'
)`,
  )
  add(
    shape.droppedTimers,
    () => `task_timers as (
  delete from timers t using ${use('droppedTimers')}, applied a
  where a.id = u.run_id and t.run_id = u.run_id and t.task_id = u.task_id and a.finished_at is null${
    shape.suspended ? ` and t.kind <> 'retry'` : ''
  }
    and not (u.keep_total and t.kind = 'total-timeout')
)`,
  )
  add(
    shape.keptSignals,
    () => `kept as (
  insert into run_signals (id, run_id, name, payload)
  select k.id, k.run_id, k.name, k.payload::json from ${use('keptSignals')} join applied a on a.id = k.run_id
  on conflict (id) do nothing
)`,
  )
  add(
    shape.takenSignals,
    () =>
      `taken_signals as (delete from run_signals s using ${use('takenSignals')}, applied a where a.id = k.run_id and s.id = k.id)`,
  )
  add(
    shape.readInbox,
    () =>
      `read as (delete from run_inbox i using ${use('readInbox')}, applied a where a.id = f.run_id and i.id = f.id)`,
  )
  return parts
}

/** Revs are looked up rather than joined: the planner takes the tasks of one run for one row, and would loop over them. */
function eventPart(use: Use): string {
  return `task_revs as materialized (select jsonb_object_agg(t.id, t.rev) as by_id from touched t),
told as (
  insert into events.log (topic, key, subject, source, time, sequence, traceparent, data)
  select e.topic, e.run_id::text, coalesce(e.task_id, e.run_id)::text, e.source, clock.now,
    coalesce((task_revs.by_id ->> e.task_id::text)::bigint, a.rev),
    e.traceparent,
    (case when e.with_times
      then left(e.data, -1) || ',"startedAt":' || ${isoTime('a.started_at')} || ',"finishedAt":' || ${isoTime('a.finished_at')} || '}'
      else e.data end)::json
  from ${use('events')} join applied a on a.id = e.run_id, task_revs, clock
  order by e.position
)`
}

function results(shape: Shape): string {
  const runs = `select 'run' as kind, a.id, a.rev, null::bigint as token,
  ${shape.births ? 'exists (select 1 from run_inbox i where i.run_id = a.id)' : 'false'} as inbox, null::json as detail
from applied a`
  const tasks = `select 'task', t.id, t.rev, t.token, false, null from touched t`
  const leases = `select 'lease', l.id, l.rev, l.token, false, ${leasedDetail} from ${leasedSource}`
  return [runs, tasks, ...limitResults(shape), ...(shape.pick ? [leases] : [])].join('\nunion all\n')
}
