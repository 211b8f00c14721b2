import { type DequeueRequest, EVERY_QUEUE, QueuePart } from '../domain/queue.js'
import { taskUpdates } from './event-sql.js'

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
  queue: string
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
 * Every (project, queue, uses) that has tasks, by one step down the index each rather than a walk over all rows. A worker
 * bound to a project has its steps within that project: the bounds are ranges, which the index can use where `is null
 * or =` could not.
 */
const everyKind = (project: string) => `
    with recursive step as (
      (select project_id, queue, uses from task_queue
        where project_id >= coalesce(${project}::uuid, '00000000-0000-0000-0000-000000000000')
          and project_id <= coalesce(${project}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        order by project_id, queue, uses limit 1)
      union all
      select n.project_id, n.queue, n.uses from step, lateral (
        select q.project_id, q.queue, q.uses from task_queue q
        where (q.project_id, q.queue, q.uses) > (step.project_id, step.queue, step.uses)
          and q.project_id <= coalesce(${project}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        order by q.project_id, q.queue, q.uses limit 1
      ) n
    )
    select project_id, queue, uses from step`

/** The numbers of a dequeue's parameters, and their values. */
export function dequeueParameters(next: () => string) {
  const [session, project, executors] = [next(), next(), next()]
  const [queues, allQueues, max, projects, ahead] = [next(), next(), next(), next(), next()]
  const [shareProjects, shareQueues, shareAhead] = [next(), next(), next()]
  return {
    ...{ session, project, executors, queues, allQueues, max, projects, ahead },
    ...{ shareProjects, shareQueues, shareAhead },
    bind: ({ sessionId, projectId, executors: uses, queues: names, max: limit, virtualTimes }: DequeueRequest) => [
      sessionId,
      projectId,
      uses,
      names,
      names.includes(EVERY_QUEUE),
      limit,
      virtualTimes.projects,
      virtualTimes.ahead,
      virtualTimes.shares.projects,
      virtualTimes.shares.queues,
      virtualTimes.shares.ahead,
    ],
  }
}

/** The types of the parameters of `leaseFragment`, in their order. */
export const dequeueTypes = [
  ...['uuid', 'uuid', 'text[]', 'text[]', 'boolean', 'int', 'uuid[]', 'float8[]', 'uuid[]', 'text[]', 'float8[]'],
  'text',
]

/**
 * Who is next in the order of dispatch, as CTEs `asking`, `candidate` and `turn`.
 *
 * The order is project by turn, then priority, then age: each project's first tasks are ranked together, so one project's
 * backlog cannot starve another's task. Within a project, a queue with a weight has turns of its own beside all other
 * queues together; queues of the profile `batch` come last. The cost does not grow with the backlog: one index walk to
 * each (project, queue, uses), and at most `max` rows of those that this worker serves and that are not paused. Pauses
 * and limits of queues are read here and not from memory, so that whichever replica a worker asks obeys them.
 */
export function turnParts(
  dequeue: ReturnType<typeof dequeueParameters>,
  parts: readonly number[],
  limitedQueues: 'with' | 'without',
): string {
  const first = (part: number) => `(
    select q.task_id, q.part, q.priority, q.position from task_queue q
    where q.project_id = p.project_id and q.queue = p.queue and q.uses = p.uses and q.part = ${part}
    order by q.priority desc, q.position
    limit ${dequeue.max}::int
  )`
  return `asking as materialized (
  select k.project_id, k.queue, k.uses, coalesce(s.ahead, 0) as ahead,
    case when z.weight is null then '' else k.queue end as share, coalesce(z.weight, 1) as weight,
    coalesce(z.profile = 'batch', false) as is_batch
  from (${everyKind(dequeue.project)}) k
    left join queues z on z.project_id = k.project_id and z.name = k.queue
    left join unnest(${dequeue.projects}::uuid[], ${dequeue.ahead}::float8[]) as s(project_id, ahead) on s.project_id = k.project_id
  where (select x.state = 'active' from sessions x where x.id = ${dequeue.session}::uuid)
    and k.uses = any(${dequeue.executors}::text[]) and (${dequeue.allQueues}::boolean or k.queue = any(${dequeue.queues}::text[]))
    and z.paused is not true${limitedQueues === 'with' ? '' : ' and z.concurrency is null and z.rate_limit is null'}
),
candidate as materialized (
  select p.*, c.task_id, c.part, c.priority, c.position,
    row_number() over (partition by p.project_id, p.share order by c.priority desc, c.position) / p.weight as cost
  from asking p cross join lateral (${parts.map(first).join(' union all ')}) c
),
turn as materialized (
  select r.task_id, r.ahead + r.place as turn, r.priority, r.position from (
    select c.task_id, c.ahead, c.priority, c.position, row_number() over (
      partition by c.project_id
      order by c.is_batch, coalesce(s.ahead, 0) + c.cost, c.priority desc, c.position
    ) as place
    from candidate c left join unnest(${dequeue.shareProjects}::uuid[], ${dequeue.shareQueues}::text[], ${dequeue.shareAhead}::float8[])
      as s(project_id, queue, ahead) on s.project_id = c.project_id and s.queue = c.share
  ) r
  order by turn, r.priority desc, r.position
  limit ${dequeue.max}::int
)`
}

/**
 * Takes tasks off the queue in order of dispatch and leases them, as CTEs `picked`, `taken`, `leased` and `lease_events`.
 *
 * SKIP LOCKED keeps replicas apart. The queue row is locked before the task row, here and on the locked path, so that the
 * two cannot wait for each other. A task that was ended meanwhile leaves the queue and is not leased (`status = 'queued'`).
 * Limited tasks are none of its business: `limits/lease-limited.ts` takes those.
 */
export function leaseFragment(next: () => string): { sql: string; bind(dequeue: DequeueRequest): unknown[] } {
  const dequeue = dequeueParameters(next)
  const worker = next()
  const sql = `
${turnParts(dequeue, [QueuePart.plain], 'without')},
picked as (
  select q.task_id from task_queue q where q.task_id in (select task_id from turn) and q.part = ${QueuePart.plain}
  for update skip locked
),
taken as (delete from task_queue q using picked p where q.task_id = p.task_id returning q.task_id),
${leasedParts(dequeue.session, worker)}`
  return { sql, bind: (asked) => [...dequeue.bind(asked), asked.workerId] }
}

/** Leases what stands in `taken` and publishes that, as CTEs `leased` and `lease_events`. Needs a CTE `clock`. */
export const leasedParts = (session: string, worker: string, more = '') => `leased as (
  update tasks t set
    status = 'running', rev = t.rev + 1, token = t.token + 1, lease_id = gen_random_uuid(),
    session_id = ${session}::uuid, worker_id = ${worker}::text, started_at = clock.now,
    deadline_at = clock.now + make_interval(secs => (t.timeout_ms + ${TIMEOUT_GRACE_MS}) / 1000.0)${more}
  from taken, clock
  where t.id = taken.task_id and t.status = 'queued'
  returning t.*
),
${taskUpdates('lease_events', 'leased', { worker: true })}`

/** One JSON object a lease, from `leased`. */
export const leasedDetail = `json_build_object('taskId', l.id, 'runId', l.run_id, 'projectId', l.project_id,
    'workflow', r.workflow, 'versionId', r.version_id, 'ordinal', l.ordinal, 'key', l.key, 'idx', l.idx, 'uses', l.uses,
    'queue', l.queue, 'attempt', l.attempt, 'maxAttempts', l.max_attempts, 'token', l.token, 'leaseId', l.lease_id,
    'timeoutMs', l.timeout_ms, 'generation', r.generation, 'traceparent', r.traceparent, 'input', p.input)`

export const leasedSource = `leased l join runs r on r.id = l.run_id left join task_payloads p on p.task_id = l.id`
