import { type Attempt, elapsed, foldAttempts, isoOf } from './attempts.js'
import type { Failure } from './changes.js'
import type { JobFacts, JobObservation } from './job-facts.js'
import { type JobStatus, jobHasEnded, usesUpAttempt } from './statuses.js'

export interface JobMetrics {
  attempts: number
  retries: number
  /** Of all executions together. */
  queueWaitMs: number
  executionMs: number
  /** From lease to end of the last execution. */
  durationMs: number | null
  /** From the first event to the end. */
  totalMs: number | null
  outputBytes: number | null
}

/** One task execution: what `GET /jobs/{id}` is made of. */
export interface JobDocument {
  id: string
  projectId: string
  runId: string
  workflow: string
  version: number
  task: string
  index: number | null
  uses: string
  queue: string
  status: JobStatus
  attempt: number
  maxAttempts: number
  workerId: string | null
  error: Failure | null
  /** The highest sequence applied. */
  sequence: number
  createdAt: string
  queuedAt: string | null
  startedAt: string | null
  finishedAt: string | null
  updatedAt: string
  deadLetteredAt: string | null
  traceId: string | null
  /** Of its run. */
  labels: Record<string, string>
  attempts: Attempt[]
  metrics: JobMetrics
}

/** Undefined while only claims are known: without the scheduler's word there is no status to show. */
export function foldJob(facts: JobFacts): JobDocument | undefined {
  const { identity } = facts
  const latest = facts.observations.at(-1)
  if (identity === null || latest === undefined) return undefined
  const attempts = foldAttempts(facts)
  const { sequence: _identitySequence, ...lasting } = identity
  const createdAt = Math.min(...facts.observations.map((seen) => seen.at))
  const finishedAt = jobHasEnded(latest.status) ? latest.at : null
  const started = attempts.findLast((attempt) => attempt.startedAt !== null)
  return {
    id: facts.id,
    ...lasting,
    status: latest.status,
    attempt: latest.attempt,
    workerId: latest.workerId ?? started?.workerId ?? null,
    error: latest.error,
    sequence: latest.sequence,
    createdAt: new Date(createdAt).toISOString(),
    queuedAt: lastQueuedAt(facts.observations) ?? started?.queuedAt ?? null,
    startedAt: started?.startedAt ?? null,
    finishedAt: isoOf(finishedAt),
    updatedAt: new Date(latest.at).toISOString(),
    deadLetteredAt: isoOf(facts.deadLetteredAt),
    traceId: facts.trace?.traceId ?? null,
    labels: facts.labels ?? {},
    attempts,
    metrics: metricsOf(facts, attempts, elapsed(createdAt, finishedAt)),
  }
}

function lastQueuedAt(observations: readonly JobObservation[]): string | null {
  return isoOf(observations.findLast((seen) => seen.status === 'queued')?.at ?? null)
}

function metricsOf(facts: JobFacts, attempts: readonly Attempt[], totalMs: number | null): JobMetrics {
  const sum = (pick: (attempt: Attempt) => number | null) => attempts.reduce((all, item) => all + (pick(item) ?? 0), 0)
  const counted = attempts.filter(({ status }) => usesUpAttempt(status)).length
  const lastOutput = [...facts.claims].sort((a, b) => a.at - b.at).findLast((claim) => claim.outputBytes !== null)
  return {
    attempts: counted,
    retries: Math.max(0, counted - 1),
    queueWaitMs: sum((attempt) => attempt.queueWaitMs),
    executionMs: sum((attempt) => attempt.executionMs ?? attempt.durationMs),
    durationMs: attempts.at(-1)?.durationMs ?? null,
    totalMs,
    outputBytes: lastOutput?.outputBytes ?? null,
  }
}
