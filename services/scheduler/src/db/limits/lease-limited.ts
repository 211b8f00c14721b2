import { type Pool, type Queryable, withTransaction } from '@millrace/postgres'
import { type Admission, admitTasks, type Candidate } from '../../domain/limits/admit-tasks.js'
import { emptyWindow } from '../../domain/limits/rate-window.js'
import { isRate, type LimitScope, limitsOfQueue, slotName, type TaskLimit } from '../../domain/limits/task-limits.js'
import { type DequeueRequest, QueuePart } from '../../domain/queue.js'
import { createParameters, double, int, nullable, type RowOf, text, uuid } from '../columns.js'
import {
  dequeueParameters,
  type LeasedRow,
  leasedDetail,
  leasedParts,
  leasedSource,
  turnParts,
} from '../lease-fragment.js'
import { lockSlots, type ParkedKey, type SlotKey } from './slots.js'

export interface LimitedLeases {
  readonly leased: readonly LeasedRow[]
  /** What lacked a slot, in order; for a rate, how long until the next may start. */
  readonly parked: readonly ParkedKey[]
  /** What was taken, by scope. */
  readonly taken: readonly LimitScope[]
  /** The queue held limited tasks for this worker when it was looked at. */
  readonly anyLimited: boolean
  /** The queue held no more for this worker than was looked at. */
  readonly exhausted: boolean
}

const nothing: LimitedLeases = { leased: [], parked: [], taken: [], anyLimited: false, exhausted: true }

/** Looked at beyond what is asked for: what lacks a slot is parked in passing, and the next look does not meet it again. */
const MARGIN = 100

/**
 * The one place where slots are taken. Picks in the order of dispatch from both parts of the queue, locks the slots of
 * what it picked in key order, decides by `admitTasks` on what it read under the locks, and leases or parks.
 *
 * A transaction of four statements rather than one: a row must exist to be locked, and an insert and an update of one row
 * do not go together in one statement. Locks go queue → slots → tasks here, and tasks → slots where slots are given back;
 * the two never meet in a circle, because a task is queued here and running there.
 */
export function leaseLimited(pool: Pool, dequeue: DequeueRequest): Promise<LimitedLeases> {
  return withTransaction(pool, async (tx) => {
    const fetch = dequeue.max + MARGIN
    const { candidates, anyLimited } = await findCandidates(tx, dequeue, fetch)
    if (candidates.length === 0) return nothing
    const { slots, nowMs } = await lockSlots(tx, candidates.flatMap(keysOf))
    const admission = admitTasks(candidates, slots, dequeue.max, nowMs)
    const leased = await writeAdmission(tx, dequeue, admission, nowMs)
    return {
      leased,
      parked: admission.parked.map(({ candidate: { projectId }, lack }) => ({
        projectId,
        scope: lack.limit.scope,
        key: lack.limit.key,
        freeInMs: lack.freeAtMs === null ? null : lack.freeAtMs - nowMs,
      })),
      taken: admission.leased.flatMap(({ limits }) => limits.map(({ scope }) => scope)),
      anyLimited,
      exhausted: candidates.length < fetch && admission.leased.length + admission.parked.length === candidates.length,
    }
  })
}

const keysOf = ({ projectId, limits }: Candidate): SlotKey[] =>
  limits.map(({ scope, key }) => ({ projectId, scope, key }))

const candidateParameters = createParameters()
const candidateDequeue = dequeueParameters(candidateParameters.next)
const candidatesText = `
with ${turnParts(candidateDequeue, [QueuePart.plain, QueuePart.limited], 'with')}
select q.task_id as "taskId", q.project_id as "projectId", q.queue, q.part, l.limits, z.concurrency,
  z.rate_limit as "rateLimit", z.rate_per_ms as "ratePerMs",
  exists (select 1 from candidate where candidate.part = ${QueuePart.limited}) as "anyLimited"
from turn join task_queue q on q.task_id = turn.task_id left join task_limits l on l.task_id = q.task_id
  left join queues z on z.project_id = q.project_id and z.name = q.queue
where q.part <> ${QueuePart.parked}
order by turn.turn, turn.priority desc, turn.position
for update of q skip locked`

interface CandidateRow {
  taskId: string
  projectId: string
  queue: string
  part: number
  limits: TaskLimit[] | null
  concurrency: number | null
  rateLimit: number | null
  ratePerMs: number | null
  anyLimited: boolean
}

async function findCandidates(
  tx: Queryable,
  dequeue: DequeueRequest,
  fetch: number,
): Promise<{ candidates: Candidate[]; anyLimited: boolean }> {
  const result = await tx.query<CandidateRow>({
    name: 'limited-candidates',
    text: candidatesText,
    values: candidateDequeue.bind({ ...dequeue, max: fetch }),
  })
  const candidates = result.rows.map((row) => ({
    taskId: row.taskId,
    projectId: row.projectId,
    // What stands in the unlimited part has no limits of its own; its queue may have some since.
    limits: [...(row.part === QueuePart.limited ? (row.limits ?? []) : []), ...limitsOfQueue(row.queue, row)],
  }))
  return { candidates, anyLimited: result.rows[0]?.anyLimited ?? false }
}

const keyColumns = { projectId: uuid, scope: text, key: text }
const startColumns = { ...keyColumns, starts: text, perMs: double }
type StartsRow = RowOf<typeof startColumns>

const parameters = createParameters()
const [now, session, worker, leasedIds] = [parameters.next(), parameters.next(), parameters.next(), parameters.next()]
const holds = parameters.rows({ alias: 'h', columns: { taskId: uuid, ...keyColumns } })
const started = parameters.rows({ alias: 'w', columns: startColumns })
const parked = parameters.rows({
  alias: 'k',
  columns: { taskId: uuid, scope: text, key: text, atMost: int, perMs: nullable(double) },
})

const admissionText = `
with clock as materialized (select to_timestamp(${now}::float8 / 1000.0) as now),
hold as materialized (select * from ${holds.sql}),
taken as (
  delete from task_queue q using unnest(${leasedIds}::uuid[]) as p(task_id) where q.task_id = p.task_id returning q.task_id
),
${leasedParts(session, worker, `,\n    holds_slots = exists (select 1 from hold h where h.task_id = t.id)`)},
held as (
  insert into slot_holds (task_id, project_id, scope, key)
  select h.task_id, h.project_id, h.scope, h.key from hold h join leased l on l.id = h.task_id
  returning project_id, scope, key
),
used as (
  update slots s set in_use = s.in_use + n.taken
  from (select project_id, scope, key, count(*)::int as taken from held group by 1, 2, 3) n
  where s.project_id = n.project_id and s.scope = n.scope and s.key = n.key
),
counted as (
  update slots s set starts = w.starts::json, idle_at = clock.now + make_interval(secs => w.per_ms / 1000.0)
  from ${started.sql}, clock where s.project_id = w.project_id and s.scope = w.scope and s.key = w.key
),
parking as (
  update task_queue q set part = ${QueuePart.parked}, parked_scope = k.scope, parked_key = k.key, parked_limit = k.at_most, parked_per_ms = k.per_ms
  from ${parked.sql} where q.task_id = k.task_id
)
select ${leasedDetail} as detail from ${leasedSource}`

async function writeAdmission(
  tx: Queryable,
  dequeue: DequeueRequest,
  admission: Admission,
  nowMs: number,
): Promise<LeasedRow[]> {
  const result = await tx.query<{ detail: LeasedRow }>({
    name: 'write-admission',
    text: admissionText,
    values: [
      nowMs,
      dequeue.sessionId,
      dequeue.workerId,
      admission.leased.map(({ taskId }) => taskId),
      ...holds.bind(
        admission.leased.flatMap(({ taskId, projectId, limits }) =>
          limits.filter((limit) => !isRate(limit)).map(({ scope, key }) => ({ taskId, projectId, scope, key })),
        ),
      ),
      ...started.bind(startsOf(admission)),
      ...parked.bind(
        admission.parked.map(({ candidate, lack: { limit } }) => ({
          taskId: candidate.taskId,
          scope: limit.scope,
          key: limit.key,
          atMost: limit.limit,
          perMs: limit.perMs ?? null,
        })),
      ),
    ],
  })
  return result.rows.map((row) => row.detail)
}

/** One row for each rate key that somebody was leased under. */
function startsOf({ leased, slots }: Admission): StartsRow[] {
  const rows = new Map<string, StartsRow>()
  for (const { projectId, limits } of leased) {
    for (const limit of limits.filter(isRate)) {
      const name = slotName(projectId, limit)
      const window = slots.get(name)?.window ?? emptyWindow
      const { scope, key } = limit
      rows.set(name, { projectId, scope, key, starts: JSON.stringify(window), perMs: window.perMs })
    }
  }
  return [...rows.values()]
}
