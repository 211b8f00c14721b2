import type { Failure } from '../domain/changes.js'
import type { RunFacts, RunRequest } from '../domain/run-facts.js'
import type { RunStatus } from '../domain/statuses.js'
import type { StoredRow } from './document-table.js'

/**
 * Facts of a run as packed-job.ts packs those of a job. New fields go at the end of a tuple, so that older rows still
 * read. Rows written before runs were packed hold the facts themselves.
 */
interface PackedRun {
  workflow: string
  version: number
  /** createdAt, priority, labels, requestedBy */
  request?: [number, number, Record<string, string>, string]
  /** sequence, status, reason, generation, at */
  seen?: Seen[]
  /** as seen, and error, labels, createdAt, startedAt, finishedAt */
  ends?: [...Seen, Failure | null, Record<string, string>, number | null, number | null, number | null][]
  /** sequence, traceId */
  trace?: [number, string]
}

type Seen = [number, RunStatus, string, number, number]

export function packRun({ workflow, version, request, observations, completions, trace }: RunFacts): PackedRun {
  return {
    workflow,
    version,
    ...(request !== null && { request: [request.createdAt, request.priority, request.labels, request.requestedBy] }),
    ...(observations.length > 0 && {
      seen: observations.map((o): Seen => [o.sequence, o.status, o.reason, o.generation, o.at]),
    }),
    ...(completions.length > 0 && {
      ends: completions.map((c) => [
        ...([c.sequence, c.status, c.reason, c.generation, c.at] satisfies Seen),
        ...([c.error, c.labels, c.createdAt, c.startedAt, c.finishedAt] as const),
      ]),
    }),
    ...(trace !== null && { trace: [trace.sequence, trace.traceId] }),
  }
}

export function unpackRun(row: StoredRow): RunFacts {
  if (isWhole(row.facts)) return row.facts
  const { workflow, version, request, seen = [], ends = [], trace } = row.facts as PackedRun
  return {
    id: row.id,
    projectId: row.project_id,
    workflow,
    version,
    request: request === undefined ? null : unpackRequest(request),
    observations: seen.map(([sequence, status, reason, generation, at]) => {
      return { sequence, status, reason, generation, at }
    }),
    completions: ends.map(([sequence, status, reason, generation, at, error, labels, ...times]) => {
      const [createdAt, startedAt, finishedAt] = times
      return { sequence, status, reason, generation, at, error, labels, createdAt, startedAt, finishedAt }
    }),
    trace: trace === undefined ? null : { sequence: trace[0], traceId: trace[1] },
  }
}

const isWhole = (facts: unknown): facts is RunFacts => Object.hasOwn(facts as object, 'observations')

function unpackRequest([createdAt, priority, labels, requestedBy]: NonNullable<PackedRun['request']>): RunRequest {
  return { sequence: 0, createdAt, priority, labels, requestedBy }
}
