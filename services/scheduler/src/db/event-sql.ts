/** An event for each row of `from`, as expressions over it. The statement has a CTE `clock`. */
interface EventSource {
  readonly topic: string
  readonly runId: string
  readonly subject: string
  readonly source?: string
  readonly sequence: string
  readonly traceparent: string
  /** Of type json. */
  readonly data: string
  readonly from: string
}

/** Null stays null. */
export const isoText = (expression: string): string =>
  `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The scheduler's only insert into the log. */
export const eventInsert = (
  event: EventSource,
): string => `insert into events.log (topic, key, subject, source, time, sequence, traceparent, data)
  select ${event.topic}, ${event.runId}::text, ${event.subject}::text, ${event.source ?? `'scheduler'`}, clock.now, ${event.sequence},
    ${event.traceparent}, ${event.data}
  from ${event.from}`

/** The same as CTE `name`. */
export const insertEvents = (name: string, event: EventSource): string => `${name} as (
  ${eventInsert(event)}
)`

/** What every event about a task says of it, as arguments of json_build_object; `t` is a row of tasks, `r` of runs. */
const taskFacts = `'taskId', t.id, 'runId', t.run_id, 'projectId', t.project_id, 'workflow', r.workflow,
      'version', r.version, 'key', t.key, 'index', t.idx`

/** An object with one more field where there is a value; the value's own text is kept as it is. */
const withError = (object: string, error: string): string =>
  `(left(${object}::text, -1) || coalesce(',"error":' || ${error}::text, '') || '}')::json`

const ofTask = {
  runId: 't.run_id',
  subject: 't.id',
  sequence: 't.rev',
  traceparent: 'r.traceparent',
}

/** `task.updated` for every row of the CTE `source`, which has rows of tasks. */
export function taskUpdates(
  name: string,
  source: string,
  says: { readonly worker?: boolean; readonly error?: string; readonly runs?: string; readonly labels?: boolean } = {},
): string {
  const labels = says.labels ? `, 'labels', r.labels` : ''
  const worker = says.worker ? `, 'workerId', coalesce(t.worker_id, '')` : ''
  const data = `json_build_object(${taskFacts}, 'uses', t.uses, 'queue', t.queue, 'status', t.status,
      'attempt', t.attempt, 'maxAttempts', t.max_attempts${worker}${labels})`
  return insertEvents(name, {
    ...ofTask,
    topic: `'task.updated'`,
    data: says.error ? withError(data, says.error) : data,
    from: `${source} t join ${says.runs ?? 'runs'} r on r.id = t.run_id, clock`,
  })
}

/** `task.dead-lettered` for the rows of the CTE `source` for which `condition` holds. */
export const deadLetterEvents = (name: string, source: string, condition: string): string =>
  insertEvents(name, {
    ...ofTask,
    topic: `'task.dead-lettered'`,
    data: `json_build_object(${taskFacts}, 'attempt', t.attempt, 'error', t.error, 'labels', r.labels)`,
    from: `${source} t join runs r on r.id = t.run_id, clock where ${condition}`,
  })

const proof = `'taskId', t.id, 'runId', t.run_id, 'projectId', t.project_id, 'token', t.token, 'leaseId', t.lease_id,
        'sessionId', t.session_id, 'durationMs', t.duration_ms, 'attempt', t.attempt`

/** `task.completed` and `task.failed`: what a worker reported, published in its name. */
export const reportedResults = (name: string, source: string): string =>
  insertEvents(name, {
    ...ofTask,
    topic: 't.claim',
    source: 't.report_source',
    data: `case when t.claim = 'task.completed'
      then json_build_object(${proof}, 'outputJson', coalesce(t.report_output, ''))
      else json_build_object(${proof}, 'error', t.failure::json)
      end`,
    from: `${source} t join runs r on r.id = t.run_id, clock where t.claim is not null`,
  })
