import type { Queryable } from '@millrace/postgres'
import type { KeptSignal } from '../domain/effects.js'
import type { Failure } from '../domain/failure.js'
import type { RunOrigin } from '../domain/origin.js'
import type { RunStatus } from '../domain/run-state.js'
import type { TaskStatus } from '../domain/task-state.js'

export interface RunRow {
  id: string
  project_id: string
  workflow: string
  version: number
  version_id: string
  status: RunStatus
  reason: string | null
  rev: number
  generation: number
  priority: number
  labels: Record<string, string>
  requested_by: string
  traceparent: string | null
  origin: RunOrigin | null
  queue_defaults: string | null
  input: unknown
  created_at: Date
  started_at: Date | null
}

export interface TaskRow {
  id: string
  run_id: string
  ordinal: number
  status: TaskStatus
  attempt: number
  max_attempts: number
  error: Failure | null
  token: number
  lease_id: string | null
  session_id: string | null
  holds_slots: boolean
}

const runColumns = `id, project_id, workflow, version, version_id, status, reason, rev, generation, priority, labels,
  requested_by, traceparent, origin, queue_defaults::text as queue_defaults, input, created_at, started_at`
const taskColumns =
  'id, run_id, ordinal, status, attempt, max_attempts, error, token, lease_id, session_id, holds_slots'

export async function loadRunRows(client: Queryable, runIds: readonly string[]): Promise<RunRow[]> {
  const result = await client.query<RunRow>({
    name: 'load-runs',
    text: `select ${runColumns} from runs where id = any($1::uuid[])`,
    values: [runIds],
  })
  return result.rows
}

export async function loadTaskRows(client: Queryable, runIds: readonly string[]): Promise<TaskRow[]> {
  const result = await client.query<TaskRow>({
    name: 'load-tasks',
    text: `select ${taskColumns} from tasks where run_id = any($1::uuid[]) and idx = -1 order by run_id, ordinal`,
    values: [runIds],
  })
  return result.rows
}

export interface PayloadRow {
  task_id: string
  input: string | null
  /** Null also when it lies in the artifact alone. */
  output: unknown
  artifact_id: string | null
  artifact_size: number | null
}

export type Payloads = ReadonlyMap<string, PayloadRow>

/** Inputs and outputs of these tasks, as far as they have any. */
export async function loadPayloads(client: Queryable, taskIds: readonly string[]): Promise<Payloads> {
  if (taskIds.length === 0) return new Map()
  const result = await client.query<PayloadRow>({
    name: 'load-payloads',
    text: `select task_id, input::text as input, output, artifact_id, artifact_size from task_payloads
      where task_id = any($1::uuid[])`,
    values: [taskIds],
  })
  return new Map(result.rows.map((row) => [row.task_id, row]))
}

/** Signals that wait to be asked for, oldest first. */
export async function loadSignals(client: Queryable, runIds: readonly string[]): Promise<Map<string, KeptSignal[]>> {
  const signals = new Map<string, KeptSignal[]>(runIds.map((runId) => [runId, []]))
  if (runIds.length === 0) return signals
  const result = await client.query<KeptSignal & { run_id: string }>({
    name: 'load-signals',
    text: `select run_id, id, name, payload::text as payload from run_signals
      where run_id = any($1::uuid[]) order by position`,
    values: [runIds],
  })
  for (const { run_id: runId, ...signal } of result.rows) signals.get(runId)?.push(signal)
  return signals
}

/**
 * The run with everything that a decision on queued-or-running needs, under locks: the run's row, the groups of its maps,
 * its places in the queue, then its tasks in id order. A lease takes queue before task as well, so the two cannot wait
 * for each other. The items of maps are not locked: whoever changes one holds its group.
 */
export async function lockRun(
  client: Queryable,
  runId: string,
): Promise<{ run: RunRow; tasks: TaskRow[] } | undefined> {
  const run = await client.query<RunRow>({
    name: 'lock-run',
    text: `select ${runColumns} from runs where id = $1 for update`,
    values: [runId],
  })
  const found = run.rows[0]
  if (!found) return undefined
  await client.query({
    name: 'lock-queue',
    text: `
with maps as materialized (select 1 from map_groups where run_id = $1 order by ordinal for update)
select 1 from task_queue where run_id = $1 and not child and (select count(*) from maps) >= 0 order by task_id for update`,
    values: [runId],
  })
  await client.query({
    name: 'lock-tasks',
    text: `select 1 from tasks where run_id = $1 and idx = -1 and status in ('queued', 'running') order by id for update`,
    values: [runId],
  })
  return { run: found, tasks: await loadTaskRows(client, [runId]) }
}

/** Those that exist and have not ended. */
export async function findOpenRuns(client: Queryable, runIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (runIds.length === 0) return new Set()
  const result = await client.query<{ id: string }>({
    name: 'find-open-runs',
    text: 'select id from runs where id = any($1::uuid[]) and finished_at is null',
    values: [runIds],
  })
  return new Set(result.rows.map((row) => row.id))
}

export interface LeaseRow {
  id: string
  status: TaskStatus
  token: number
  lease_id: string | null
  session_id: string | null
  holds_slots?: boolean
}

export async function loadLeases(client: Queryable, taskIds: readonly string[]): Promise<Map<string, LeaseRow>> {
  if (taskIds.length === 0) return new Map()
  const result = await client.query<LeaseRow>({
    name: 'load-leases',
    text: 'select id, status, token, lease_id, session_id, holds_slots from tasks where id = any($1::uuid[])',
    values: [taskIds],
  })
  return new Map(result.rows.map((row) => [row.id, row]))
}
