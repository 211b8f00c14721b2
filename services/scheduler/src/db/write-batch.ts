import type { Queryable } from '@millrace/postgres'
import { createParameters } from './columns.js'
import {
  type LeasedRow,
  leasedDetail,
  leasedSource,
  leaseFragment,
  type Pick,
  TIMEOUT_GRACE_MS,
} from './lease-fragment.js'
import { rowSets, type WriteRows } from './write-rows.js'

// A whole batch of decisions is one statement: one round trip, one commit.
//
// Locks are taken on run rows, then on the task rows that are to end, both in id order. `applied` holds the runs that are
// born here and those whose rev matched and all of whose guarded tasks are running under the expected lease. Every other
// CTE joins it: the unit is the run, and a losing run leaves no row anywhere. A guard on a sibling CTE would not do: it
// is not undone by an update that matched nothing.
//
// No row is written by two CTEs: a picked task is queued, a changed one is not. `clock` is read once, after the locks;
// two calls could invert the order of two writes.
const parameters = createParameters()
const births = parameters.rows(rowSets.births)
const changes = parameters.rows(rowSets.changes)
const guards = parameters.rows(rowSets.guards)
const newTasks = parameters.rows(rowSets.newTasks)
const taskChanges = parameters.rows(rowSets.taskChanges)
const payloads = parameters.rows(rowSets.payloads)
const queued = parameters.rows(rowSets.queued)
const unqueued = parameters.rows(rowSets.unqueued)
const newTimers = parameters.rows(rowSets.newTimers)
const firedTimers = parameters.rows(rowSets.firedTimers)
const readInbox = parameters.rows(rowSets.readInbox)
const letters = parameters.rows(rowSets.letters)
const events = parameters.rows(rowSets.events)
const lease = leaseFragment(parameters.next, 'clock')

const isoTime = (expression: string) =>
  `coalesce(to_json(to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, '""')`

const text = `
with
change as materialized (select * from ${changes.sql}),
guard as materialized (select * from ${guards.sql}),
locked as materialized (
  select r.id, r.rev from runs r where r.id in (select run_id from change) order by r.id for update
),
locked_tasks as materialized (
  select t.id, t.status, t.token, t.lease_id from tasks t
  where t.id in (select task_id from guard) and (select count(*) from locked) >= 0
  order by t.id for update
),
won as materialized (
  select c.* from change c join locked l on l.id = c.run_id and l.rev = c.expected_rev
  where not exists (
    select 1 from guard g left join locked_tasks t on t.id = g.task_id
    where g.run_id = c.run_id
      and (t.id is null or t.status <> 'running' or t.token <> g.token or t.lease_id is distinct from g.lease_id)
  )
),
clock as materialized (select clock_timestamp() as now from (select count(*) from won) w),
born as (
  insert into runs (id, project_id, workflow_id, workflow, version, version_id, status, reason, priority, labels,
    requested_by, traceparent, input, output, error, created_at, started_at, finished_at)
  select n.id, n.project_id, n.workflow_id, n.workflow, n.version, n.version_id, n.status, n.reason, n.priority,
    n.labels::json, n.requested_by, n.traceparent, n.input::json, n.output::json, n.error::json, n.created_at,
    case when n.started then clock.now end, case when n.ended then clock.now end
  from ${births.sql}, clock
  on conflict (id) do nothing
  returning id, rev, started_at, finished_at
),
changed as (
  update runs r set
    rev = r.rev + 1, status = w.status, reason = w.reason,
    output = case when w.set_output then w.output::json else r.output end,
    error = case when w.set_error then w.error::json else r.error end,
    generation = r.generation + case when w.reopened then 1 else 0 end,
    started_at = case when w.started then clock.now else r.started_at end,
    finished_at = case when w.ended then clock.now when w.reopened then null else r.finished_at end
  from won w, clock where r.id = w.run_id
  returning r.id, r.rev, r.started_at, r.finished_at
),
applied as (select * from born union all select * from changed),
inserted as (
  insert into tasks (id, run_id, project_id, ordinal, key, name, uses, queue, priority, status, attempt, max_attempts,
    timeout_ms, error, token, lease_id, session_id, worker_id, queued_at, started_at, deadline_at, finished_at)
  select n.id, n.run_id, n.project_id, n.ordinal, n.key, n.name, n.uses, n.queue, n.priority, n.status, n.attempt,
    n.max_attempts, n.timeout_ms, n.error::json, case when n.lease_id is null then 0 else 1 end, n.lease_id,
    n.session_id, n.worker_id,
    case when n.status in ('queued', 'running') then clock.now end,
    case when n.status = 'running' then clock.now end,
    case when n.status = 'running' then clock.now + make_interval(secs => (n.timeout_ms + ${TIMEOUT_GRACE_MS}) / 1000.0) end,
    case when n.status in ('succeeded', 'failed', 'skipped', 'cancelled') then clock.now end
  from ${newTasks.sql} join born b on b.id = n.run_id, clock
  returning id, run_id, rev, token
),
updated as (
  update tasks t set
    status = c.status, rev = t.rev + 1, attempt = c.attempt, max_attempts = c.max_attempts, error = c.error::json,
    token = t.token + case when c.fence or c.lease_id is not null then 1 else 0 end,
    lease_id = case when c.fence then null else coalesce(c.lease_id, t.lease_id) end,
    session_id = coalesce(c.session_id, t.session_id),
    worker_id = coalesce(c.worker_id, t.worker_id),
    losses = case when c.status in ('queued', 'running') then 0 else t.losses end,
    queued_at = case when c.status in ('queued', 'running') then clock.now else t.queued_at end,
    started_at = case c.status when 'running' then clock.now when 'queued' then null else t.started_at end,
    deadline_at = case when c.status = 'running'
      then clock.now + make_interval(secs => (t.timeout_ms + ${TIMEOUT_GRACE_MS}) / 1000.0) end,
    finished_at = case when c.status in ('succeeded', 'failed', 'skipped', 'cancelled') then clock.now end
  from ${taskChanges.sql} join changed r on r.id = c.run_id, clock
  where t.id = c.id
  returning t.id, t.run_id, t.rev, t.token, t.attempt, t.worker_id, c.error as failure, c.attempt_failed
),
touched as (select id, run_id, rev, token from inserted union all select id, run_id, rev, token from updated),
failed as (
  insert into attempt_failures (task_id, attempt, at, worker_id, error)
  select u.id, u.attempt, clock.now, u.worker_id, u.failure::json from updated u, clock where u.attempt_failed
  on conflict (task_id, attempt) do update set at = excluded.at, worker_id = excluded.worker_id, error = excluded.error
),
buried as (
  insert into dead_letters (id, project_id, run_id, task_id, class, error, at)
  select d.id, d.project_id, d.run_id, d.task_id, d.class, d.error::json, clock.now
  from ${letters.sql} join applied a on a.id = d.run_id, clock
),
paid as (
  insert into task_payloads (task_id, input, output)
  select p.task_id, p.input::json, p.output::json from ${payloads.sql} join applied a on a.id = p.run_id
  on conflict (task_id) do update set
    input = coalesce(excluded.input, task_payloads.input), output = coalesce(excluded.output, task_payloads.output)
),
enqueued as (
  insert into task_queue (task_id, run_id, project_id, queue, uses, priority)
  select q.task_id, q.run_id, q.project_id, q.queue, q.uses, q.priority
  from ${queued.sql} join applied a on a.id = q.run_id
  on conflict (task_id) do nothing
),
dequeued as (
  delete from task_queue q using ${unqueued.sql}, applied a where a.id = u.run_id and q.task_id = u.task_id
),
timed as (
  insert into timers (run_id, task_id, kind, due_at)
  select t.run_id, t.task_id, t.kind, clock.now + make_interval(secs => t.delay_ms / 1000.0)
  from ${newTimers.sql} join applied a on a.id = t.run_id, clock
),
fired as (
  delete from timers t using ${firedTimers.sql}, applied a where a.id = f.run_id and t.id = f.id
    and a.finished_at is null
),
dropped as (delete from timers t using applied a where t.run_id = a.id and a.finished_at is not null),
suspended as (
  delete from timers t using won w where w.drop_retries and t.run_id = w.run_id and t.kind = 'retry'
),
read as (delete from run_inbox i using ${readInbox.sql}, applied a where a.id = f.run_id and i.id = f.id),
told as (
  insert into events.log (topic, key, subject, source, time, sequence, traceparent, data)
  select e.topic, e.run_id::text, coalesce(e.task_id, e.run_id)::text, e.source, clock.now, coalesce(t.rev, a.rev),
    e.traceparent,
    (case when e.with_times
      then left(e.data, -1) || ',"startedAt":' || ${isoTime('a.started_at')} || ',"finishedAt":' || ${isoTime('a.finished_at')} || '}'
      else e.data end)::json
  from ${events.sql} join applied a on a.id = e.run_id left join touched t on t.id = e.task_id, clock
  order by e.position
),${lease.sql}
select 'run' as kind, a.id, a.rev, null::bigint as token,
  json_build_object('inbox', exists (select 1 from run_inbox i where i.run_id = a.id)) as detail
from applied a
union all
select 'task', t.id, t.rev, t.token, null from touched t
union all
select 'lease', l.id, l.rev, l.token, ${leasedDetail} from ${leasedSource}`

export interface WriteResult {
  /** Rev of each run that won; a run that is not here left no row. */
  readonly runs: ReadonlyMap<string, number>
  /** Runs among them that have something in their inbox. */
  readonly withInbox: readonly string[]
  /** Token of each task written. */
  readonly tokens: ReadonlyMap<string, number>
  readonly leased: readonly LeasedRow[]
}

interface Row {
  kind: 'run' | 'task' | 'lease'
  id: string
  rev: number
  token: number | null
  detail: unknown
}

export async function writeBatch(client: Queryable, rows: WriteRows, pick: Pick): Promise<WriteResult> {
  const result = await client.query<Row>({
    name: 'write-batch',
    text,
    values: [
      ...births.bind(rows.births),
      ...changes.bind(rows.changes),
      ...guards.bind(rows.guards),
      ...newTasks.bind(rows.newTasks),
      ...taskChanges.bind(rows.taskChanges),
      ...payloads.bind(rows.payloads),
      ...queued.bind(rows.queued),
      ...unqueued.bind(rows.unqueued),
      ...newTimers.bind(rows.newTimers),
      ...firedTimers.bind(rows.firedTimers),
      ...readInbox.bind(rows.readInbox),
      ...letters.bind(rows.letters),
      ...events.bind(rows.events),
      ...lease.bind(pick),
    ],
  })
  return readResult(result.rows)
}

function readResult(rows: readonly Row[]): WriteResult {
  const runs = new Map<string, number>()
  const withInbox: string[] = []
  const tokens = new Map<string, number>()
  const leased: LeasedRow[] = []
  for (const row of rows) {
    if (row.kind === 'run') {
      runs.set(row.id, row.rev)
      if ((row.detail as { inbox: boolean }).inbox) withInbox.push(row.id)
    } else if (row.kind === 'task') tokens.set(row.id, row.token ?? 0)
    else leased.push(row.detail as LeasedRow)
  }
  return { runs, withInbox, tokens, leased }
}
