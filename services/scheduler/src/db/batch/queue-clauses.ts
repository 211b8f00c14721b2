import { boolean, double, int, nullable, smallint, text, uuid } from '../columns.js'
import { freeHolds, releaseParts } from '../limits/release-fragment.js'
import { insertQueue } from '../queue-sql.js'
import { fixed, rows } from './clause.js'
import { deleteRows, insertRows } from './plain-clauses.js'

const queueTasks = (from: string): string =>
  insertQueue({ row: 'q', taskId: 'q.task_id', child: 'false', part: 'q.part', from })

/** The queue, timers, and limits. Nothing here takes a slot: that is the lease's alone, and one statement cannot do both. */
export const queueClauses = {
  queued: rows(
    'q',
    {
      taskId: uuid,
      runId: uuid,
      projectId: uuid,
      queue: text,
      uses: text,
      priority: smallint,
      /** One of `QueuePart`. */
      part: smallint,
    },
    (source) => `insert_queue as (
  ${queueTasks(`${source} join applied a on a.id = q.run_id`)}
)`,
    queueTasks,
  ),
  dequeued: deleteRows(
    'queue',
    'u',
    { taskId: uuid, unit: uuid },
    { deleteFrom: 'task_queue', where: ['task_id', 'taskId'] },
  ),
  newTimers: insertRows(
    'timers',
    't',
    { unit: uuid, runId: uuid, taskId: nullable(uuid), kind: text, delayMs: double },
    {
      insert: 'timers',
      values: { run_id: 'runId', task_id: 'taskId', kind: 'kind', due_at: { laterByMs: 'delayMs' } },
    },
  ),
  // A timer may be named by several of these clauses. PostgreSQL passes over a row that the statement has deleted.
  deletedFired: fixed(
    ({ firedTimers }) => firedTimers,
    () => `delete_fired_timers as (
  delete from timers t using fired_timer f, applied a where a.id = f.unit and t.id = f.id
)`,
  ),
  deletedRunTimers: fixed(
    ({ ended }) => ended,
    () => `delete_run_timers as (
  delete from timers t using applied a where t.run_id = a.id and a.finished_at is not null
)`,
  ),
  deletedRetries: fixed(
    ({ suspended }) => suspended,
    () => `delete_retry_timers as (
  delete from timers t using won w where w.drop_retries and t.run_id = w.run_id and t.kind = 'retry'
)`,
  ),
  droppedTimers: rows(
    'u',
    { unit: uuid, taskId: uuid, runId: uuid, keepTotal: boolean },
    (source) => `delete_task_timers as (
  delete from timers t using ${source}, applied a
  where a.id = u.unit and t.run_id = u.run_id and t.task_id = u.task_id
    and not (u.keep_total and t.kind = 'total-timeout')
)`,
  ),
  taskLimits: insertRows(
    'task_limits',
    'l',
    { taskId: uuid, unit: uuid, limits: text },
    {
      insert: 'task_limits',
      values: { task_id: 'taskId', limits: { json: 'limits' } },
      conflict: { on: 'task_id', replace: ['limits'] },
    },
  ),
  /** Runs that may begin as soon as their workflow's limit lets them. */
  newAdmissions: insertRows(
    'admissions',
    'n',
    { runId: uuid, projectId: uuid, key: text, runLimit: int, onLimit: text, priority: smallint },
    {
      insert: 'run_admissions',
      values: {
        ...{ run_id: 'runId', project_id: 'projectId', key: 'key', run_limit: 'runLimit' },
        ...{ on_limit: 'onLimit', priority: 'priority' },
      },
      conflict: { on: 'run_id' },
    },
  ),
  freedHolds: fixed(
    ({ releases }) => releases,
    () => freeHolds('update_tasks'),
  ),
  /** Runs that neither wait for their workflow's limit any more nor count against it. */
  droppedAdmissions: rows(
    'u',
    { runId: uuid },
    (source) => `delete_admissions as (
  delete from run_admissions d using ${source}, applied a where a.id = u.run_id and d.run_id = u.run_id
  returning d.project_id, 'workflow'::text as scope, d.key, d.state
),
given_back as (select project_id, scope, key from delete_admissions where state = 'admitted')`,
  ),
  released: fixed(
    ({ releases, droppedAdmissions }) => releases || droppedAdmissions,
    ({ releases, droppedAdmissions }) =>
      releaseParts([releases ? 'freed_holds' : '', droppedAdmissions ? 'given_back' : ''].filter(Boolean)),
  ),
}
