/** Stands for every queue in a worker's list: only the platform's own worker may say it. */
export const EVERY_QUEUE = '*'

/** Whose queue is asked, and for how much. `max: 0` asks for nothing. */
export interface Pick {
  sessionId: string | null
  workerId: string | null
  /** Null = tasks of every project. */
  projectId: string | null
  executors: readonly string[]
  queues: readonly string[]
  max: number
}

export const noPick: Pick = { sessionId: null, workerId: null, projectId: null, executors: [], queues: [], max: 0 }

/** A lease as the statement returns it; what its worker needs beyond this comes from the run's plan. */
export interface LeasedRow {
  taskId: string
  runId: string
  projectId: string
  workflow: string
  versionId: string
  ordinal: number
  key: string
  idx: number
  uses: string
  attempt: number
  maxAttempts: number
  token: number
  leaseId: string
  timeoutMs: number | null
  generation: number
  traceparent: string | null
  input: unknown
}

/** How long past its timeout an attempt may go on before the engine ends it: the worker is to end it first. */
export const TIMEOUT_GRACE_MS = 2000

/**
 * Takes tasks off the queue in order of dispatch and leases them, as CTEs `picked`, `taken`, `leased` and `lease_events`.
 * SKIP LOCKED keeps replicas apart. The queue row is locked before the task row, here and on the cold road, so that the
 * two cannot wait for each other. A task that was ended meanwhile leaves the queue and is not leased (`status = 'queued'`).
 */
export function leaseFragment(next: () => string, clock: string): { sql: string; bind(pick: Pick): unknown[] } {
  const [session, worker, project, executors] = [next(), next(), next(), next()]
  const [queues, allQueues, max] = [next(), next(), next()]
  const sql = `
picked as (
  select q.task_id from task_queue q
  where q.uses = any(${executors}::text[]) and (${allQueues}::boolean or q.queue = any(${queues}::text[]))
    and (${project}::uuid is null or q.project_id = ${project}::uuid)
  order by q.priority desc, q.position
  limit ${max}::int
  for update skip locked
),
taken as (delete from task_queue q using picked p where q.task_id = p.task_id returning q.task_id),
leased as (
  update tasks t set
    status = 'running', rev = t.rev + 1, token = t.token + 1, lease_id = gen_random_uuid(),
    session_id = ${session}::uuid, worker_id = ${worker}::text, started_at = clock.now,
    deadline_at = clock.now + make_interval(secs => (t.timeout_ms + ${TIMEOUT_GRACE_MS}) / 1000.0)
  from taken, ${clock} as clock
  where t.id = taken.task_id and t.status = 'queued'
  returning t.*
),
lease_events as (
  insert into events.log (topic, key, subject, source, time, sequence, traceparent, data)
  select 'task.updated', l.run_id::text, l.id::text, 'scheduler', clock.now, l.rev, r.traceparent,
    json_build_object('taskId', l.id, 'runId', l.run_id, 'projectId', l.project_id, 'workflow', r.workflow,
      'version', r.version, 'key', l.key, 'index', l.idx, 'uses', l.uses, 'queue', l.queue, 'status', l.status,
      'attempt', l.attempt, 'maxAttempts', l.max_attempts, 'workerId', l.worker_id)
  from leased l join runs r on r.id = l.run_id, ${clock} as clock
)`
  return {
    sql,
    bind: ({ sessionId, workerId, projectId, executors: uses, queues: names, max: limit }) => [
      sessionId,
      workerId,
      projectId,
      uses,
      names,
      names.includes(EVERY_QUEUE),
      limit,
    ],
  }
}

/** One JSON object a lease, from `leased`. */
export const leasedDetail = `json_build_object('taskId', l.id, 'runId', l.run_id, 'projectId', l.project_id,
    'workflow', r.workflow, 'versionId', r.version_id, 'ordinal', l.ordinal, 'key', l.key, 'idx', l.idx, 'uses', l.uses,
    'attempt', l.attempt, 'maxAttempts', l.max_attempts, 'token', l.token, 'leaseId', l.lease_id,
    'timeoutMs', l.timeout_ms, 'generation', r.generation, 'traceparent', r.traceparent, 'input', p.input)`

export const leasedSource = `leased l join runs r on r.id = l.run_id left join task_payloads p on p.task_id = l.id`
