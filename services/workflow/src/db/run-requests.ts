import type { Pool, Queryable } from '@millrace/postgres'
import type { RunOrder } from '../domain/merge-runs.js'
import type { RunOrigin } from '../domain/run-origin.js'

/** A run as it was asked for: what is stored of it, what its `workflow.started` says, and what is shown until the scheduler has it. */
export interface RunRequest {
  id: string
  projectId: string
  workflowId: string
  workflow: string
  versionId: string
  version: number
  /** As it came: JSON text. */
  inputJson: string
  priority: number
  labels: Record<string, string>
  createdAt: Date
  hold: boolean
  startAt: Date | null
  origin: RunOrigin | null
  requestedBy: string
  traceparent: string | null
  /** Its workflow is paused, and the scheduler has not been told of it. */
  waiting: boolean
  cancelRequestedAt: Date | null
  takenAt: Date | null
}

export const requestColumns = `id, project_id as "projectId", workflow_id as "workflowId", workflow, version_id as "versionId", version,
  input::text as "inputJson", priority, labels,
  created_at as "createdAt", hold, start_at as "startAt", origin,
  requested_by as "requestedBy", traceparent, waiting, cancel_requested_at as "cancelRequestedAt", taken_at as "takenAt"`

export async function findRunRequest(db: Queryable, projectId: string, id: string): Promise<RunRequest | undefined> {
  const { rows } = await db.query<RunRequest>({
    name: 'workflow-find-run-request',
    text: `select ${requestColumns} from run_requests where id = $1 and project_id = $2`,
    values: [id, projectId],
  })
  return rows[0]
}

export async function findRunRequests(db: Queryable, ids: readonly string[]): Promise<RunRequest[]> {
  const { rows } = await db.query<RunRequest>({
    name: 'workflow-find-run-requests',
    text: `select ${requestColumns} from run_requests where id = any($1::uuid[])`,
    values: [ids],
  })
  return rows
}

export async function whichRequestsExist(db: Queryable, projectId: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    'select id from run_requests where project_id = $1 and id = any($2::uuid[])',
    [projectId, ids],
  )
  return rows.map((row) => row.id)
}

export interface DedupeKey {
  projectId: string
  key: string
}

/** In the order of the keys. */
export async function findByDedupeKeys(db: Queryable, keys: readonly DedupeKey[]): Promise<(RunRequest | undefined)[]> {
  const { rows } = await db.query<RunRequest & { n: number }>({
    name: 'workflow-find-by-dedupe-keys',
    text: `select ${requestColumns}, n::int from unnest($1::uuid[], $2::text[]) with ordinality as k (project, key, n)
      join run_requests on project_id = k.project and dedupe_key = k.key`,
    values: [keys.map(({ projectId }) => projectId), keys.map(({ key }) => key)],
  })
  const found = new Map(rows.map(({ n, ...run }) => [n, run]))
  return keys.map((_, i) => found.get(i + 1))
}

export type RequestStatus = 'queued' | 'paused' | 'cancelling'

export function statusOfRequest({ cancelRequestedAt, hold }: RunRequest): RequestStatus {
  if (cancelRequestedAt !== null) return 'cancelling'
  return hold ? 'paused' : 'queued'
}

export interface OpenRequestsFilter {
  projectId: string
  workflow?: string | undefined
  query?: string | undefined
  labels: Record<string, string>
  from?: string | undefined
  to?: string | undefined
  statuses?: readonly RequestStatus[] | undefined
  /** Strictly behind this, in the order. */
  before?: { createdAt: string; id: string } | undefined
  /** The newest first unless told otherwise. */
  order?: RunOrder | undefined
  limit: number
}

/** As `statusOfRequest` has it. */
const shownStatus = `case when cancel_requested_at is not null then 'cancelling' when hold then 'paused' else 'queued' end`

/** Requests that the scheduler is not known to have. */
export async function listOpenRequests(db: Queryable, filter: OpenRequestsFilter): Promise<RunRequest[]> {
  const [behind, direction] = filter.order === 'oldest' ? ['>', 'asc'] : ['<', 'desc']
  const { rows } = await db.query<RunRequest>(
    `select ${requestColumns} from run_requests
     where project_id = $1 and taken_at is null
       and ($2::text is null or workflow = $2)
       and ($3::text is null or position(lower($3) in lower(workflow)) > 0 or id::text = lower($3))
       and ($4::timestamptz is null or created_at >= $4) and ($5::timestamptz is null or created_at < $5)
       and ($6::text[] is null or ${shownStatus} = any($6))
       and ($7::timestamptz is null or (created_at, id) ${behind} ($7, $8::uuid))
       and not exists (select from unnest($9::text[], $10::text[]) as l (k, v) where (labels ->> l.k) is distinct from l.v)
     order by created_at ${direction}, id ${direction} limit $11`,
    [
      filter.projectId,
      filter.workflow ?? null,
      filter.query ?? null,
      filter.from ?? null,
      filter.to ?? null,
      filter.statuses ?? null,
      filter.before?.createdAt ?? null,
      filter.before?.id ?? null,
      Object.keys(filter.labels),
      Object.values(filter.labels),
      filter.limit,
    ],
  )
  return rows
}

export interface RequestCounts {
  /** Of those whose workflow is paused: the scheduler cannot have them. */
  waiting: { status: RequestStatus; count: number }[]
  /** On their way: the scheduler may have them already. */
  underWay: { id: string; status: RequestStatus }[]
}

/** More are on their way only while the scheduler is gone; they are then not counted. */
const maxUnderWay = 5_000

type CountFilter = Pick<OpenRequestsFilter, 'projectId' | 'workflow' | 'from' | 'to'>

export async function countOpenRequests(db: Queryable, filter: CountFilter): Promise<RequestCounts> {
  const open = `from run_requests where project_id = $1 and taken_at is null and ($2::text is null or workflow = $2)
    and ($3::timestamptz is null or created_at >= $3) and ($4::timestamptz is null or created_at < $4)`
  const values = [filter.projectId, filter.workflow ?? null, filter.from ?? null, filter.to ?? null]
  const waiting = await db.query<RequestCounts['waiting'][number]>(
    `select ${shownStatus} as status, count(*)::int as count ${open} and waiting group by 1`,
    values,
  )
  const underWay = await db.query<RequestCounts['underWay'][number]>(
    `select id, ${shownStatus} as status ${open} and not waiting order by created_at desc limit ${maxUnderWay}`,
    values,
  )
  return { waiting: waiting.rows, underWay: underWay.rows }
}

/**
 * Losing this in a crash costs nothing: the position in the log is stored later in the same write-ahead log, so the
 * event comes again. Hence no wait for the disk.
 */
export async function markRequestsTaken(pool: Pool, ids: readonly string[]): Promise<void> {
  const client = await pool.connect()
  let broken = true
  try {
    await client.query('begin; set local synchronous_commit = off')
    await client.query(
      `update run_requests set taken_at = clock_timestamp() where taken_at is null and id in
         (select id from run_requests where id = any($1::uuid[]) and taken_at is null order by id for update)`,
      [ids],
    )
    await client.query('commit')
    broken = false
  } finally {
    client.release(broken)
  }
}

export async function markCancelRequested(db: Queryable, id: string): Promise<void> {
  await db.query(
    'update run_requests set cancel_requested_at = clock_timestamp() where id = $1 and cancel_requested_at is null and taken_at is null',
    [id],
  )
}

/** What a run that the scheduler does not have yet shows; the scheduler itself was told. */
export async function markHold(db: Queryable, id: string, hold: boolean): Promise<void> {
  await db.query('update run_requests set hold = $2 where id = $1 and taken_at is null', [id, hold])
}
