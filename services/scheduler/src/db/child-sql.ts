import { QueuePart } from './lease-fragment.js'

// Text of SQL that the statements on a map's children share.

export const ENDED = `('succeeded', 'failed', 'skipped', 'cancelled')`

/** Of a map that ends for one of these reasons, what runs is asked to stop. `stop` lets it finish. */
export const HARD = `('cancel', 'timeout', 'total-timeout')`

const facts = (t: string, r: string) =>
  `'taskId', ${t}.id, 'runId', ${t}.run_id, 'projectId', ${t}.project_id, 'workflow', ${r}.workflow,
      'version', ${r}.version, 'key', ${t}.key, 'index', ${t}.idx`

/** An object with one more field where there is a value; the value's own text is kept as it is. */
const withError = (object: string, error: string) =>
  `(left(${object}::text, -1) || coalesce(',"error":' || ${error}::text, '') || '}')::json`

/** Tells of every row of the CTE `source` (rows of `tasks`), with the facts of its run. */
export const childUpdates = (name: string, source: string): string => `${name} as (
  insert into events.log (topic, key, subject, source, time, sequence, traceparent, data)
  select 'task.updated', t.run_id::text, t.id::text, 'scheduler', clock.now, t.rev, r.traceparent,
    ${withError(
      `json_build_object(${facts('t', 'r')}, 'uses', t.uses, 'queue', t.queue, 'status', t.status,
      'attempt', t.attempt, 'maxAttempts', t.max_attempts, 'workerId', coalesce(t.worker_id, ''))`,
      't.error',
    )}
  from ${source} t join runs r on r.id = t.run_id, clock
)`

/** Letters for rows of `source` that finally failed; they carry `letter_id` and `error_class`. */
export const childLetters = (source: string): string => `buried as (
  insert into dead_letters (id, project_id, run_id, task_id, class, error, at)
  select t.letter_id, t.project_id, t.run_id, t.id, t.error_class, t.error, clock.now
  from ${source} t, clock where ${hasLetter}
),
mourned as (
  insert into events.log (topic, key, subject, source, time, sequence, traceparent, data)
  select 'task.dead-lettered', t.run_id::text, t.id::text, 'scheduler', clock.now, t.rev, r.traceparent,
    json_build_object(${facts('t', 'r')}, 'attempt', t.attempt, 'error', t.error, 'labels', r.labels)
  from ${source} t join runs r on r.id = t.run_id, clock where ${hasLetter}
)`

const hasLetter = `t.status = 'failed' and t.error_class not in ('rejected', 'cancelled')`

export const childFailures = (source: string): string => `failures as (
  insert into attempt_failures (task_id, attempt, at, worker_id, error)
  select t.id, t.attempt, clock.now, t.worker_id, t.error from ${source} t, clock where t.attempt_failed
  on conflict (task_id, attempt) do update set at = excluded.at, worker_id = excluded.worker_id, error = excluded.error
)`

/** `limited` is an expression: these have limits, or their queue has; `t` are the rows. */
export const queueChildren = (name: string, source: string, limited: string, where = 'true'): string => `${name} as (
  insert into task_queue (task_id, run_id, project_id, queue, uses, priority, child, part)
  select t.id, t.run_id, t.project_id, t.queue, t.uses, t.priority, true,
    case when ${limited} then ${QueuePart.limited} else ${QueuePart.plain} end
  from ${source} t where t.status = 'queued' and ${where} order by t.idx
  on conflict (task_id) do nothing
)`

/** Whoever ends a group tells its run; `source` holds groups as they are now. */
export const groupEnds = (source: string): string => `ends as (
  insert into run_inbox (run_id, command, dedupe_key)
  select g.run_id, json_build_object('kind', 'map-ended', 'taskId', g.task_id, 'round', g.round),
    'map:' || g.task_id || ':' || g.round
  from ${source} g where g.closed_at is not null
  on conflict (dedupe_key) do nothing
)`
