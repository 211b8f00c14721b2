import { bigint, boolean, int, nullable, smallint, text, unsentFlag, uuid } from '../columns.js'
import { TIMEOUT_GRACE_MS } from '../lease-fragment.js'
import { always, fixed, rows } from './clause.js'
import { insertRows } from './plain-clauses.js'

const deadline = (row: string) =>
  `clock.now + make_interval(secs => (${row}.timeout_ms + ${TIMEOUT_GRACE_MS}) / 1000.0)`

const hasEnded = (row: string) => `${row}.status in ('succeeded', 'failed', 'skipped', 'cancelled')`

const payloadColumns = { taskId: uuid, unit: uuid, input: nullable(text), output: nullable(text) }

const failedAttempts = 'select id, attempt, worker_id, failure from update_tasks where attempt_failed'
const failedBeginnings =
  'select t.id, t.attempt, t.worker_id, f.error as failure from insert_items t join failed_item f on f.id = t.id'

const insertTasks = (
  from: string,
): string => `insert into tasks (id, run_id, project_id, ordinal, key, name, uses, queue, priority, status, attempt, max_attempts,
    timeout_ms, error, token, lease_id, session_id, worker_id, queued_at, started_at, deadline_at, finished_at)
  select n.id, n.run_id, n.project_id, n.ordinal, n.key, n.name, n.uses, n.queue, n.priority, n.status, n.attempt,
    n.max_attempts, n.timeout_ms, n.error::json, case when n.lease_id is null then 0 else 1 end, n.lease_id,
    n.session_id, n.worker_id,
    case when n.status in ('queued', 'running') then clock.now end,
    case when n.status = 'running' then clock.now end,
    case when n.status = 'running' then ${deadline('n')} end,
    case when ${hasEnded('n')} then clock.now end
  from ${from}, clock`

const updateTasks = (from: string, releases = false): string => `update tasks t set
    status = c.status, rev = t.rev + 1, attempt = coalesce(c.attempt, t.attempt),
    max_attempts = coalesce(c.max_attempts, t.max_attempts), error = c.error::json,
    token = t.token + case when c.fence or c.lease_id is not null then 1 else 0 end,
    lease_id = case when c.fence then null else coalesce(c.lease_id, t.lease_id) end,
    session_id = coalesce(c.session_id, t.session_id),
    worker_id = coalesce(c.worker_id, t.worker_id),
    losses = case when c.status in ('queued', 'running') then 0 else t.losses end,
    queued_at = case when c.status in ('queued', 'running') then clock.now else t.queued_at end,
    started_at = case when c.status = 'running' then clock.now when c.status not in ('queued', 'waiting') then t.started_at end,
    deadline_at = case when c.status = 'running' then ${deadline('t')} end,
    finished_at = case when ${hasEnded('c')} then clock.now end${releases ? ',\n    holds_slots = false' : ''}
  from ${from}, clock
  where t.id = c.id`

const insertPayloads = (from: string): string => `insert into task_payloads (task_id, input, output)
  select p.task_id, p.input::json, p.output::json from ${from}
  on conflict (task_id) do update set
    input = coalesce(excluded.input, task_payloads.input), output = coalesce(excluded.output, task_payloads.output)`

/** Tasks of runs and items of maps, and what is kept beside them. */
export const taskClauses = {
  newTasks: rows(
    'n',
    {
      id: uuid,
      runId: uuid,
      projectId: uuid,
      ordinal: int,
      key: text,
      name: text,
      uses: text,
      queue: text,
      priority: smallint,
      status: text,
      attempt: int,
      maxAttempts: int,
      timeoutMs: nullable(bigint),
      error: nullable(text),
      leaseId: nullable(uuid),
      sessionId: nullable(uuid),
      workerId: nullable(text),
    },
    (source) => `insert_tasks as (
  ${insertTasks(`${source} join insert_runs b on b.id = n.run_id`)}
  returning id, run_id, rev, token, lease_id as granted
)`,
    insertTasks,
  ),
  taskChanges: rows(
    'c',
    {
      id: uuid,
      unit: uuid,
      status: text,
      /** Null, and of the next: as it is. */
      attempt: nullable(int),
      maxAttempts: nullable(int),
      error: nullable(text),
      attemptFailed: boolean,
      fence: boolean,
      leaseId: nullable(uuid),
      sessionId: nullable(uuid),
      workerId: nullable(text),
      /** What it held is given back. Whether it held anything, only the rows know. */
      mayHoldSlots: unsentFlag,
    },
    (source, { releases, itemChanges }) => `update_tasks as (
  ${updateTasks(`${source} join applied a on a.id = c.unit`, releases)}
  returning ${itemChanges ? 't.*' : 't.id, t.run_id, t.rev, t.token, t.attempt, t.worker_id'}, c.error as failure, c.attempt_failed, c.lease_id as granted
)`,
    updateTasks,
  ),
  newItems: rows(
    'n',
    {
      ...{ id: uuid, unit: uuid, idx: int, status: text, attempt: int, maxAttempts: int, error: nullable(text) },
      /** Null: none is due. */
      deadLetterId: nullable(uuid),
    },
    (source, { failedItems }) => `new_item as materialized (select * from ${source}),${
      failedItems ? '\nfailed_item as materialized (select * from new_item where error is not null),' : ''
    }
insert_items as (
  insert into tasks (id, run_id, project_id, ordinal, key, idx, name, uses, queue, priority, status, attempt,
    max_attempts, timeout_ms, error, queued_at, finished_at)
  select n.id, s.run_id, s.project_id, s.ordinal, s.key, n.idx, s.name, s.uses, s.queue, s.priority, n.status, n.attempt,
    n.max_attempts, s.timeout_ms, n.error::json, case when n.status = 'queued' then clock.now end,
    case when n.status = 'failed' then clock.now end
  from new_item n join won_slices s on s.unit = n.unit, clock
  on conflict (id) do update set status = excluded.status, rev = tasks.rev + 1, attempt = excluded.attempt,
    max_attempts = excluded.max_attempts, error = coalesce(excluded.error, tasks.error), losses = 0,
    queued_at = excluded.queued_at, started_at = null, finished_at = excluded.finished_at
    where tasks.status in ('failed', 'skipped', 'cancelled')
  returning tasks.*
)`,
  ),
  writtenTasks: fixed(always, ({ newTasks, taskChanges }) => {
    const sources = [
      newTasks ? 'select id, rev, token, granted from insert_tasks' : '',
      taskChanges ? 'select id, rev, token, granted from update_tasks' : '',
    ].filter(Boolean)
    const none =
      'select null::uuid as id, null::bigint as rev, null::bigint as token, null::uuid as granted where false'
    return `written_tasks as (${sources.join(' union all ') || none})`
  }),
  attemptFailures: fixed(
    ({ attemptFailures, failedItems }) => attemptFailures || failedItems,
    ({ attemptFailures, failedItems }) => `insert_attempt_failures as (
  insert into attempt_failures (task_id, attempt, at, worker_id, error)
  select u.id, u.attempt, clock.now, u.worker_id, u.failure::json from (
    ${[attemptFailures ? failedAttempts : '', failedItems ? failedBeginnings : ''].filter(Boolean).join(' union all ')}
  ) u, clock
  on conflict (task_id, attempt) do update set at = excluded.at, worker_id = excluded.worker_id, error = excluded.error
)`,
  ),
  deadLetters: insertRows(
    'dead_letters',
    'd',
    { id: uuid, runId: uuid, taskId: uuid, projectId: uuid, class: text, error: text },
    {
      insert: 'dead_letters',
      values: {
        ...{ id: 'id', project_id: 'projectId', run_id: 'runId', task_id: 'taskId', class: 'class' },
        ...{ error: { json: 'error' }, at: 'clock.now' },
      },
    },
  ),
  payloads: rows(
    'p',
    payloadColumns,
    (source) => `insert_payloads as (
  ${insertPayloads(`${source} join applied a on a.id = p.unit`)}
)`,
    insertPayloads,
  ),
  /** Outputs kept as artifacts; without the text once that has been written. The owner is a task or a run. */
  largePayloads: rows(
    'p',
    { ...payloadColumns, artifactId: uuid, artifactSize: bigint },
    (source) => `insert_large_payloads as (
  insert into task_payloads (task_id, input, output, artifact_id, artifact_size)
  select p.task_id, p.input::json, p.output::json, p.artifact_id, p.artifact_size
  from ${source} join applied a on a.id = p.unit
  on conflict (task_id) do update set input = coalesce(excluded.input, task_payloads.input), output = excluded.output,
    artifact_id = excluded.artifact_id, artifact_size = excluded.artifact_size
)`,
  ),
}
