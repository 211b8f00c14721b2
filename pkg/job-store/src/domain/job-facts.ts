import type { Failure, JobChange, JobIdentity } from './changes.js'
import { earlier, later, least, union } from './semilattice.js'
import type { JobStatus } from './statuses.js'

export interface JobObservation {
  sequence: number
  status: JobStatus
  attempt: number
  /** Epoch milliseconds, as are all times of facts. */
  at: number
  workerId: string | null
  error: Failure | null
}

export interface JobClaim {
  leaseId: string
  attempt: number
  at: number
  executionMs: number
  outputBytes: number | null
  error: Failure | null
}

/** Everything ever heard of a job, whatever the order it was heard in. The document is a function of this. */
export interface JobFacts {
  id: string
  projectId: string
  runId: string
  identity: (JobIdentity & { sequence: number }) | null
  /** By sequence, ascending. */
  observations: JobObservation[]
  /** By lease, ascending. */
  claims: JobClaim[]
  trace: { sequence: number; traceId: string } | null
  deadLetteredAt: number | null
  /** Of its run; null until an event has said them. */
  labels: Record<string, string> | null
}

const nothing = { identity: null, observations: [], claims: [], trace: null, deadLetteredAt: null, labels: null }

export function jobFactsOf(change: JobChange): JobFacts {
  const base = { id: change.jobId, ...nothing }
  switch (change.kind) {
    case 'observed':
      return observedFacts(base, change)
    case 'claimed':
      return { ...base, projectId: change.projectId, runId: change.runId, claims: [claimOf(change)] }
    case 'dead-lettered':
      return { ...base, projectId: change.projectId, runId: change.runId, deadLetteredAt: change.at.getTime() }
  }
}

function observedFacts(
  base: Omit<JobFacts, 'projectId' | 'runId'>,
  change: Extract<JobChange, { kind: 'observed' }>,
): JobFacts {
  const { sequence, status, attempt, workerId, error, identity } = change
  return {
    ...base,
    projectId: identity.projectId,
    runId: identity.runId,
    identity: { ...identity, sequence },
    observations: [{ sequence, status, attempt, at: change.at.getTime(), workerId, error }],
    trace: change.traceId === null ? null : { sequence, traceId: change.traceId },
    labels: Object.keys(change.labels ?? {}).length > 0 ? (change.labels ?? null) : null,
  }
}

function claimOf(change: Extract<JobChange, { kind: 'claimed' }>): JobClaim {
  const { leaseId, attempt, executionMs, outputBytes, error } = change
  return { leaseId, attempt, at: change.at.getTime(), executionMs, outputBytes, error }
}

export function mergeJobFacts(a: JobFacts, b: JobFacts): JobFacts {
  return {
    id: a.id,
    projectId: a.projectId,
    runId: a.runId,
    identity: later(a.identity, b.identity),
    observations: union(a.observations, b.observations, (item) => item.sequence),
    claims: union(a.claims, b.claims, (item) => item.leaseId),
    trace: earlier(a.trace, b.trace),
    deadLetteredAt: least(a.deadLetteredAt, b.deadLetteredAt),
    // A run's labels never change: whichever event says them says the same.
    labels: a.labels ?? b.labels,
  }
}

/** Whether merging would change nothing: a redelivery then costs no write. */
export function jobFactsCover(known: JobFacts, news: JobFacts): boolean {
  const sequences = new Set(known.observations.map((item) => item.sequence))
  const leases = new Set(known.claims.map((item) => item.leaseId))
  return (
    news.observations.every((item) => sequences.has(item.sequence)) &&
    news.claims.every((item) => leases.has(item.leaseId)) &&
    least(known.deadLetteredAt, news.deadLetteredAt) === known.deadLetteredAt
  )
}
