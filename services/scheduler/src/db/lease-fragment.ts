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
  /** Whose turn it is: how far each project is ahead of the one served least. */
  standings: { projects: readonly string[]; ahead: readonly number[] }
}

export const noPick: Pick = {
  sessionId: null,
  workerId: null,
  projectId: null,
  executors: [],
  queues: [],
  max: 0,
  standings: { projects: [], ahead: [] },
}

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

/** Every project in the queue, by one step down the index each rather than a walk over all rows. */
const everyProject = `
    with recursive step as (
      (select project_id from task_queue order by project_id limit 1)
      union all
      select (select q.project_id from task_queue q where q.project_id > step.project_id order by q.project_id limit 1)
      from step where step.project_id is not null
    )
    select project_id from step where project_id is not null`

/**
 * Takes tasks off the queue in order of dispatch and leases them, as CTEs `picked`, `taken`, `leased` and `lease_events`.
 *
 * The order is project by turn, then priority, then age: each project's first tasks are ranked together, so one project's
 * backlog cannot starve another's task, and the cost does not grow with the backlog: one index walk to each project that
 * asks, and at most `max` rows of each. SKIP LOCKED keeps replicas apart. The queue row is locked before the task row, here and on the cold road, so that the
 * two cannot wait for each other. A task that was ended meanwhile leaves the queue and is not leased (`status = 'queued'`).
 */
export function leaseFragment(next: () => string, clock: string): { sql: string; bind(pick: Pick): unknown[] } {
  const [session, worker, project, executors] = [next(), next(), next(), next()]
  const [queues, allQueues, max, projects, ahead] = [next(), next(), next(), next(), next()]
  const sql = `
asking as materialized (
  select p.project_id, coalesce(s.ahead, 0) as ahead
  from (${everyProject}) p left join unnest(${projects}::uuid[], ${ahead}::float8[]) as s(project_id, ahead) using (project_id)
  where ${project}::uuid is null or p.project_id = ${project}::uuid
),
turn as materialized (
  select c.task_id from asking p cross join lateral (
    select q.task_id, q.priority, q.position, row_number() over (order by q.priority desc, q.position) as place
    from task_queue q
    where q.project_id = p.project_id and q.uses = any(${executors}::text[])
      and (${allQueues}::boolean or q.queue = any(${queues}::text[]))
    order by q.priority desc, q.position
    limit ${max}::int
  ) c
  order by p.ahead + c.place, c.priority desc, c.position
  limit ${max}::int
),
picked as (
  select q.task_id from task_queue q where q.task_id in (select task_id from turn)
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
    bind: ({ sessionId, workerId, projectId, executors: uses, queues: names, max: limit, standings }) => [
      sessionId,
      workerId,
      projectId,
      uses,
      names,
      names.includes(EVERY_QUEUE),
      limit,
      standings.projects,
      standings.ahead,
    ],
  }
}

/** One JSON object a lease, from `leased`. */
export const leasedDetail = `json_build_object('taskId', l.id, 'runId', l.run_id, 'projectId', l.project_id,
    'workflow', r.workflow, 'versionId', r.version_id, 'ordinal', l.ordinal, 'key', l.key, 'idx', l.idx, 'uses', l.uses,
    'attempt', l.attempt, 'maxAttempts', l.max_attempts, 'token', l.token, 'leaseId', l.lease_id,
    'timeoutMs', l.timeout_ms, 'generation', r.generation, 'traceparent', r.traceparent, 'input', p.input)`

export const leasedSource = `leased l join runs r on r.id = l.run_id left join task_payloads p on p.task_id = l.id`
