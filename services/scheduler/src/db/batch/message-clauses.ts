import { bigint, boolean, int, nullable, text, uuid } from '../columns.js'
import { eventInsert, insertEvents, isoText } from '../event-sql.js'
import { rows } from './clause.js'
import { deleteRows, insertRows } from './plain-clauses.js'

/** The index stands in the id where domain/item-id.ts puts it. */
const copyId = `(m.prefix || lpad(to_hex(32768 + t.idx), 4, '0') || m.suffix)::uuid`

const isoTime = (expression: string) => `coalesce(to_json(${isoText(expression)})::text, '""')`

/** Of an event's row `e`, and of its run `a` as it is written. */
const ofRow = {
  topic: 'e.topic',
  runId: 'e.run_id',
  subject: 'coalesce(e.task_id, e.run_id)',
  source: 'e.source',
  traceparent: 'e.traceparent',
  data: `(case when e.with_times
      then left(e.data, -1) || ',"startedAt":' || ${isoTime('a.started_at')} || ',"finishedAt":' || ${isoTime('a.finished_at')} || '}'
      else e.data end)::json`,
}

/** What runs have to do with each other, as parent and child or as a rerun; signals; and the events. */
export const messageClauses = {
  keptSignals: insertRows(
    'signals',
    'k',
    { id: text, runId: uuid, name: text, payload: text },
    {
      insert: 'run_signals',
      values: { id: 'id', run_id: 'runId', name: 'name', payload: { json: 'payload' } },
      conflict: { on: 'id' },
    },
  ),
  takenSignals: deleteRows(
    'signals',
    'k',
    { id: text, runId: uuid },
    { deleteFrom: 'run_signals', where: ['id', 'id'] },
  ),
  readInbox: deleteRows('inbox', 'f', { id: bigint, runId: uuid }, { deleteFrom: 'run_inbox', where: ['id', 'id'] }),
  /** The runs that tasks stand for. */
  childRuns: insertRows(
    'child_runs',
    'h',
    { taskId: uuid, runId: uuid, childRunId: uuid },
    {
      insert: 'child_runs',
      values: { task_id: 'taskId', run_id: 'childRunId' },
      conflict: { on: 'task_id', replace: ['run_id'] },
    },
  ),
  /** What a run owes another. */
  messages: insertRows(
    'inbox',
    'm',
    { runId: uuid, toRunId: uuid, command: text, dedupeKey: text },
    {
      insert: 'run_inbox',
      values: { run_id: 'toRunId', command: { json: 'command' }, dedupe_key: 'dedupeKey' },
      conflict: { on: 'dedupe_key' },
    },
  ),
  /** Payloads that another run's tasks have. */
  payloadCopies: rows(
    'c',
    { taskId: uuid, runId: uuid, fromTaskId: uuid },
    (source) => `copy_payloads as (
  insert into task_payloads (task_id, input, output, artifact_id, artifact_size)
  select c.task_id, p.input, p.output, p.artifact_id, p.artifact_size
  from ${source} join applied a on a.id = c.run_id join task_payloads p on p.task_id = c.from_task_id
  on conflict (task_id) do nothing
)`,
  ),
  /** The items of another run's map that succeeded, all but one. Their new ids are prefix, index, suffix. */
  itemCopies: rows(
    'm',
    {
      ...{ runId: uuid, ordinal: int, prefix: text, suffix: text },
      ...{ fromRunId: uuid, fromOrdinal: int, exceptIndex: int },
    },
    (source) => `item_copy as materialized (select m.* from ${source} join applied a on a.id = m.run_id),
copy_items as (
  insert into tasks (id, run_id, project_id, ordinal, key, idx, name, uses, queue, priority, status, attempt,
    max_attempts, timeout_ms, finished_at)
  select ${copyId}, m.run_id, t.project_id, m.ordinal, t.key, t.idx, t.name, t.uses, t.queue, t.priority, t.status, t.attempt,
    t.max_attempts, t.timeout_ms, clock.now
  from item_copy m join tasks t on t.run_id = m.from_run_id and t.ordinal = m.from_ordinal
    and t.idx >= 0 and t.idx <> m.except_index and t.status = 'succeeded', clock
),
copy_item_payloads as (
  insert into task_payloads (task_id, input, output, artifact_id, artifact_size)
  select ${copyId}, p.input, p.output, p.artifact_id, p.artifact_size
  from item_copy m join tasks t on t.run_id = m.from_run_id and t.ordinal = m.from_ordinal
    and t.idx >= 0 and t.idx <> m.except_index and t.status = 'succeeded'
  join task_payloads p on p.task_id = t.id
)`,
  ),
  // Revs are looked up rather than joined: the planner takes the tasks of one run for one row, and would loop over them.
  events: rows(
    'e',
    {
      position: int,
      runId: uuid,
      /** Null for an event of the run itself. */
      taskId: nullable(uuid),
      topic: text,
      source: text,
      traceparent: nullable(text),
      /** JSON text of an object with at least one field. */
      data: text,
      /** Append the run's startedAt and finishedAt, which only the statement knows. */
      withTimes: boolean,
    },
    (source) => `task_revs as materialized (select jsonb_object_agg(t.id, t.rev) as by_id from written_tasks t),
${insertEvents('insert_events', {
  ...ofRow,
  sequence: 'coalesce((task_revs.by_id ->> e.task_id::text)::bigint, a.rev)',
  from: `${source} join applied a on a.id = e.run_id, task_revs, clock
  order by e.position`,
})}`,
    (source) =>
      eventInsert({
        ...ofRow,
        sequence: 'coalesce(t.rev, a.rev)',
        from: `${source} join runs a on a.id = e.run_id left join tasks t on t.id = e.task_id, clock
  order by e.position`,
      }),
  ),
}
