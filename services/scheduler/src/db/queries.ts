import type { Queryable } from '@millrace/postgres'
import type { Failure, RunFailure } from '../domain/failure.js'
import type { RunOrigin } from '../domain/origin.js'

/** A run as it is shown. */
export interface RunView {
  id: string
  project_id: string
  workflow: string
  version: number
  version_id: string
  status: string
  reason: string | null
  input: string | null
  output: string | null
  error: RunFailure | null
  priority: number
  labels: Record<string, string>
  created_at: Date
  started_at: Date | null
  finished_at: Date | null
  rev: number
  generation: number
  traceparent: string | null
  origin: RunOrigin | null
  requested_by: string
  /** Of a schedule that has one. */
  requested_by_name: string | null
  /** When a delayed run starts. */
  run_at: Date | null
}

export interface TaskView {
  id: string
  run_id: string
  project_id: string
  ordinal: number
  key: string
  idx: number
  name: string
  uses: string
  queue: string
  status: string
  attempt: number
  max_attempts: number
  queued_at: Date | null
  started_at: Date | null
  finished_at: Date | null
  worker_id: string | null
  /** What is kept as an artifact is shown as such. */
  output: string | null
  /** As it is stored; `readInput` knows how to read it. */
  input: string | null
  /** Input or output did not fit into the answer. */
  output_omitted: boolean
  error: Failure | null
  rev: number
  child_run_id: string | null
  /** Of a map that waits. */
  map_done: number | null
  map_total: number | null
  /** Of a task that runs; null until its worker has said how far it is. */
  progress_percent: number | null
  progress_message: string | null
  progress_number: number | null
}

// Values of users go through as text: nothing here has a reason to parse them.
export const runColumns = `r.id, r.project_id, r.workflow, r.version, r.version_id, r.status, r.reason, r.input::text as input,
  r.output::text as output, r.error, r.priority, r.labels, r.created_at, r.started_at, r.finished_at, r.rev,
  r.generation, r.traceparent, r.origin, r.requested_by,
  case when starts_with(r.requested_by, 'schedule:') and pg_input_is_valid(substr(r.requested_by, 10), 'uuid') then
    (select s.name from schedules s where s.id = substr(r.requested_by, 10)::uuid and s.project_id = r.project_id)
  end as requested_by_name,
  case when r.status = 'queued' then (select min(s.due_at) from timers s where s.run_id = r.id and s.kind = 'start') end as run_at`
const shownOutput = `case when p.artifact_id is null then p.output::text
  else json_build_object('$artifact', p.artifact_id, 'size', p.artifact_size)::text end`
/** What lists show of a run. */
export const runSummaryColumns = runColumns.replace('r.input::text', 'null').replace('r.output::text', 'null')
export const taskColumns = `t.id, t.run_id, t.project_id, t.ordinal, t.key, t.idx, t.name, t.uses, t.queue, t.status, t.attempt,
  t.max_attempts, t.queued_at, t.started_at, t.finished_at, t.worker_id, ${shownOutput} as output, p.input::text as input, t.error, t.rev,
  q.percent as progress_percent, q.message as progress_message, q.number as progress_number,
  g.made - g.open as map_done, g.total as map_total,
  (select c.run_id from child_runs c where c.task_id = t.id and t.uses = 'workflow') as child_run_id`

/** Whatever `taskColumns` names. */
export const taskSource = `tasks t left join task_payloads p on p.task_id = t.id
  left join task_progress q on t.status = 'running' and q.task_id = t.id and q.lease_id = t.lease_id
  left join map_groups g on t.uses = 'map' and t.idx < 0 and t.status = 'waiting' and g.run_id = t.run_id and g.ordinal = t.ordinal`

export async function findRun(client: Queryable, id: string, projectId: string): Promise<RunView | undefined> {
  const result = await client.query<RunView>({
    name: 'find-run',
    text: `select ${runColumns} from runs r where r.id = $1 and r.project_id = $2`,
    values: [id, projectId],
  })
  return result.rows[0]
}

export async function findTask(client: Queryable, id: string, projectId: string): Promise<TaskView | undefined> {
  const result = await client.query<TaskView>({
    name: 'find-task',
    text: `select ${taskColumns}, false as output_omitted from ${taskSource}
      where t.id = $1 and t.project_id = $2`,
    values: [id, projectId],
  })
  return result.rows[0]
}

export interface TaskFilter {
  runId: string
  key: string
  status: string
  after: { ordinal: number; idx: number }
  limit: number
  /** Inputs and outputs beyond so many bytes altogether are left out. */
  outputBytes: number
}

/** These tasks in this order; inputs and outputs beyond so many bytes altogether are left out, and marked so. */
const withinBytes = (tasks: string, order: string, bytes: string): string => `
with page as (${tasks}), weighed as (
  select page.*, sum(coalesce(octet_length(output), 0) + coalesce(octet_length(input), 0)) over (order by ${order}) > ${bytes} as beyond from page
)
select id, run_id, project_id, ordinal, key, idx, name, uses, queue, status, attempt, max_attempts, queued_at, started_at,
  finished_at, worker_id, error, rev, child_run_id, map_done, map_total, progress_percent, progress_message,
  progress_number, case when beyond then null else output end as output,
  case when beyond then null else input end as input, beyond and (output is not null or input is not null) as output_omitted
from weighed order by ordinal, idx`

const listTasksText = withinBytes(
  `select ${taskColumns} from ${taskSource}
  where t.run_id = $1 and (t.ordinal, t.idx) > ($2::int, $3::int)
    and ($4 = '' or t.key = $4) and ($5 = '' or t.status = any(string_to_array($5, ',')))
  order by t.ordinal, t.idx limit $6`,
  'ordinal, idx',
  '$7',
)

export async function listTasks(client: Queryable, filter: TaskFilter): Promise<TaskView[]> {
  const { runId, after, key, status, limit, outputBytes } = filter
  const result = await client.query<TaskView>({
    name: 'list-tasks',
    text: listTasksText,
    values: [runId, after.ordinal, after.idx, key, status, limit, outputBytes],
  })
  return result.rows
}

/** Of each map this many children are shown with their run; `listTasks` gives all. */
const SHOWN_CHILDREN = 200
const MAX_SHOWN = 10_000

const listTasksOfRunText = withinBytes(
  `select ${taskColumns} from ${taskSource}
  where t.run_id = $1 and t.idx < $2 order by t.idx >= 0, t.ordinal, t.idx limit $3`,
  'idx >= 0, ordinal, idx',
  '$4',
)

/** Every task of a run, and the first items of each of its maps. */
export async function listTasksOfRun(client: Queryable, runId: string, outputBytes: number): Promise<TaskView[]> {
  const result = await client.query<TaskView>({
    name: 'list-tasks-of-run',
    text: listTasksOfRunText,
    values: [runId, SHOWN_CHILDREN, MAX_SHOWN, outputBytes],
  })
  return result.rows
}

export interface MapProgress {
  ordinal: number
  total: number
  ended: number
  failed: number
}

/** How far the maps of a run are, by their place in the plan. */
export async function mapProgress(client: Queryable, runId: string): Promise<Map<number, MapProgress>> {
  const result = await client.query<MapProgress>({
    name: 'map-progress',
    text: `
select g.ordinal, g.total, count(t.id) filter (where t.finished_at is not null)::int as ended,
  count(t.id) filter (where t.status = 'failed')::int as failed
from map_groups g left join tasks t on t.run_id = g.run_id and t.ordinal = g.ordinal and t.idx >= 0
where g.run_id = $1 group by g.ordinal, g.total`,
    values: [runId],
  })
  return new Map(result.rows.map((row) => [row.ordinal, row]))
}

export async function whichRunsExist(client: Queryable, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const result = await client.query<{ id: string }>({
    name: 'which-runs-exist',
    text: 'select id from runs where id = any($1::uuid[])',
    values: [ids],
  })
  return result.rows.map((row) => row.id)
}

/** How many tasks stand before each of these in the queue. */
export async function queuePositions(client: Queryable, runId: string): Promise<Map<string, number>> {
  const result = await client.query<{ task_id: string; ahead: number }>({
    name: 'queue-positions',
    text: `
select q.task_id, (
  select count(*) from task_queue o
  where o.project_id = q.project_id and o.queue = q.queue and (o.priority > q.priority or (o.priority = q.priority and o.position < q.position))
)::int as ahead
from task_queue q where q.run_id = $1 limit 200`,
    values: [runId],
  })
  return new Map(result.rows.map((row) => [row.task_id, row.ahead]))
}

export async function runStatuses(client: Queryable, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const result = await client.query<{ id: string; status: string }>({
    name: 'run-statuses',
    text: 'select id, status from runs where id = any($1::uuid[])',
    values: [ids],
  })
  return new Map(result.rows.map((row) => [row.id, row.status]))
}

export async function timersOfRun(client: Queryable, runId: string): Promise<Map<string, Date>> {
  const result = await client.query<{ task_id: string; due_at: Date }>({
    name: 'timers-of-run',
    text: `select task_id, due_at from timers where run_id = $1 and task_id is not null`,
    values: [runId],
  })
  return new Map(result.rows.map((row) => [row.task_id, row.due_at]))
}
