import type { Failure, JobIdentity } from '../domain/changes.js'
import type { JobFacts } from '../domain/job-facts.js'
import type { JobStatus } from '../domain/statuses.js'
import type { StoredRow } from './document-table.js'

/**
 * Facts of a job without names and without what columns hold: half the bytes, and Postgres spends most of an upsert
 * on parsing them. New fields go at the end of a tuple, so that older rows still read.
 */
interface PackedJob {
  /** sequence, workflow, version, task, index, uses, queue, maxAttempts */
  identity: [number, string, number, string, number | null, string, string, number] | null
  /** sequence, status, attempt, at, workerId, error */
  seen: [number, JobStatus, number, number, string | null, Failure | null][]
  /** leaseId, attempt, at, executionMs, outputBytes, error */
  claims?: [string, number, number, number, number | null, Failure | null][]
  /** sequence, traceId */
  trace?: [number, string]
  deadLetteredAt?: number
  labels?: Record<string, string>
}

export function packJob(facts: JobFacts): PackedJob {
  const { identity, trace, claims, deadLetteredAt, labels } = facts
  return {
    identity: identity && packIdentity(identity),
    seen: facts.observations.map((o) => [o.sequence, o.status, o.attempt, o.at, o.workerId, o.error]),
    ...(claims.length > 0 && {
      claims: claims.map((c) => [c.leaseId, c.attempt, c.at, c.executionMs, c.outputBytes, c.error]),
    }),
    ...(trace !== null && { trace: [trace.sequence, trace.traceId] }),
    ...(deadLetteredAt !== null && { deadLetteredAt }),
    ...(labels !== null && { labels }),
  }
}

function packIdentity(it: JobIdentity & { sequence: number }): PackedJob['identity'] {
  return [it.sequence, it.workflow, it.version, it.task, it.index, it.uses, it.queue, it.maxAttempts]
}

export function unpackJob(row: StoredRow): JobFacts {
  const packed = row.facts as PackedJob
  const place = { projectId: row.project_id, runId: row.run_id ?? '' }
  return {
    id: row.id,
    ...place,
    identity: packed.identity && unpackIdentity(packed.identity, place),
    observations: packed.seen.map(([sequence, status, attempt, at, workerId, error]) => {
      return { sequence, status, attempt, at, workerId, error }
    }),
    claims: (packed.claims ?? []).map(([leaseId, attempt, at, executionMs, outputBytes, error]) => {
      return { leaseId, attempt, at, executionMs, outputBytes, error }
    }),
    trace: packed.trace === undefined ? null : { sequence: packed.trace[0], traceId: packed.trace[1] },
    deadLetteredAt: packed.deadLetteredAt ?? null,
    labels: packed.labels ?? null,
  }
}

function unpackIdentity(
  packed: NonNullable<PackedJob['identity']>,
  place: { projectId: string; runId: string },
): JobFacts['identity'] {
  const [sequence, workflow, version, task, index, uses, queue, maxAttempts] = packed
  return { ...place, sequence, workflow, version, task, index, uses, queue, maxAttempts }
}
