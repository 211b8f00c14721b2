import type { Failure } from './changes.js'
import type { JobFacts, JobObservation } from './job-facts.js'
import { type AttemptStatus, type JobStatus, usesUpAttempt } from './statuses.js'

export interface Attempt {
  attempt: number
  status: AttemptStatus
  workerId: string | null
  queuedAt: string | null
  startedAt: string | null
  finishedAt: string | null
  queueWaitMs: number | null
  durationMs: number | null
  /** As the worker measured it, without the way there and back. */
  executionMs: number | null
  error: Failure | null
}

/** An attempt before it is dressed for reading: times in epoch milliseconds. */
export interface Execution {
  attempt: number
  status: AttemptStatus
  workerId: string | null
  queuedAt: number | null
  startedAt: number | null
  finishedAt: number | null
  error: Failure | null
}

/**
 * Attempts oldest first, read off the observations in order of sequence. An execution opens with `running` and closes
 * with whatever comes next, so a lease that was lost or handed back shows as an execution of its own even where the
 * scheduler counts no further attempt for it.
 */
export function foldExecutions(observations: readonly JobObservation[]): Execution[] {
  const executions: Execution[] = []
  let open: Execution | null = null
  let queuedAt: number | null = null
  for (const seen of observations) {
    if (seen.status === 'running') {
      if (open !== null && open.attempt === seen.attempt && open.workerId === seen.workerId) continue
      if (open !== null) close(open, seen.at, 'handed_back', null)
      open = start(seen, queuedAt)
      executions.push(open)
      queuedAt = null
      continue
    }
    if (open !== null) close(open, seen.at, outcome(seen), seen.error)
    else if (endsUnseenExecution(seen, executions)) executions.push(unseen(seen))
    open = null
    queuedAt = seen.status === 'queued' ? seen.at : null
  }
  return executions
}

export function foldAttempts(facts: Pick<JobFacts, 'observations' | 'claims'>): Attempt[] {
  return foldExecutions(facts.observations).map((execution) => toAttempt(execution, facts.claims))
}

function start(seen: JobObservation, queuedAt: number | null): Execution {
  const { attempt, workerId, at } = seen
  // A task leased in the very transaction that made it ready was never seen queued: it did not wait.
  return {
    attempt,
    status: 'running',
    workerId,
    queuedAt: queuedAt ?? at,
    startedAt: at,
    finishedAt: null,
    error: null,
  }
}

function close(execution: Execution, at: number, status: AttemptStatus, error: Failure | null): void {
  execution.finishedAt = at
  execution.status = status
  execution.error = status === 'succeeded' || status === 'handed_back' ? null : error
}

function outcome(seen: JobObservation): AttemptStatus {
  const outcomes: Record<Exclude<JobStatus, 'running'>, AttemptStatus> = {
    succeeded: 'succeeded',
    failed: 'failed',
    cancelled: 'cancelled',
    skipped: 'cancelled',
    waiting: 'handed_back',
    pending: seen.error === null ? 'handed_back' : 'failed',
    delayed: seen.error === null ? 'handed_back' : 'failed',
    queued: requeued(seen),
  }
  return seen.status === 'running' ? 'running' : outcomes[seen.status]
}

function requeued({ error }: JobObservation): AttemptStatus {
  if (error === null) return 'handed_back'
  return error.class === 'lost_worker' ? 'lost_worker' : 'failed'
}

/**
 * An end whose start was not heard: its event is still on the way, or the attempt failed before any lease. A retry that is
 * queued carries the number of the attempt to come and still the error of the one before: nothing ends there.
 */
function endsUnseenExecution(seen: JobObservation, executions: Execution[]): boolean {
  if (seen.status === 'queued' || seen.status === 'pending') return false
  const status = outcome(seen)
  if (status !== 'succeeded' && status !== 'failed') return false
  return seen.attempt > 0 && !executions.some((execution) => execution.attempt === seen.attempt)
}

function unseen(seen: JobObservation): Execution {
  const { attempt, workerId, error, at } = seen
  const status = outcome(seen)
  return {
    attempt,
    status,
    workerId,
    queuedAt: null,
    startedAt: null,
    finishedAt: at,
    error: status === 'failed' ? error : null,
  }
}

function toAttempt(execution: Execution, claims: JobFacts['claims']): Attempt {
  const { attempt, status, workerId, queuedAt, startedAt, finishedAt, error } = execution
  // The next lease of the same attempt reports under the same number.
  const claim = claims
    .filter((item) => item.attempt === attempt && usesUpAttempt(status))
    .sort((x, y) => x.at - y.at)
    .at(-1)
  return {
    attempt,
    status,
    workerId,
    queuedAt: isoOf(queuedAt),
    startedAt: isoOf(startedAt),
    finishedAt: isoOf(finishedAt),
    queueWaitMs: elapsed(queuedAt, startedAt),
    durationMs: elapsed(startedAt, finishedAt),
    executionMs: claim?.executionMs ?? null,
    error: error ?? (status === 'failed' ? (claim?.error ?? null) : null),
  }
}

/** A clock set back between two events must not make a negative duration. */
export function elapsed(from: number | null, to: number | null): number | null {
  return from === null || to === null ? null : Math.max(0, to - from)
}

export function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
