import { elapsed, isoOf } from './attempts.js'
import type { Failure } from './changes.js'
import type { RunFacts, RunObservation } from './run-facts.js'
import { type RunStatus, runHasEnded } from './statuses.js'

export interface RunDocument {
  id: string
  projectId: string
  workflow: string
  version: number
  status: RunStatus
  reason: string
  generation: number
  sequence: number
  priority: number | null
  labels: Record<string, string>
  requestedBy: string | null
  error: Failure | null
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
  queueWaitMs: number | null
  durationMs: number | null
  traceId: string | null
}

export function foldRun(facts: RunFacts): RunDocument {
  const { id, projectId, workflow, version, request } = facts
  const completion = facts.completions.at(-1)
  const latest = latestOf(facts)
  const ended = latest !== undefined && runHasEnded(latest.status)
  const createdAt = createdAtOf(facts)
  const startedAt = startedAtOf(facts)
  const finishedAt = ended ? (completion?.finishedAt ?? latest.at) : null
  return {
    id,
    projectId,
    workflow,
    version,
    status: latest?.status ?? 'queued',
    reason: latest?.reason ?? '',
    generation: latest?.generation ?? 0,
    sequence: latest?.sequence ?? 0,
    priority: request?.priority ?? null,
    labels: request?.labels ?? completion?.labels ?? {},
    requestedBy: request?.requestedBy ?? null,
    error: ended ? (completion?.error ?? null) : null,
    createdAt: new Date(createdAt).toISOString(),
    startedAt: isoOf(startedAt),
    finishedAt: isoOf(finishedAt),
    queueWaitMs: elapsed(createdAt, startedAt),
    durationMs: elapsed(startedAt, finishedAt),
    traceId: facts.trace?.traceId ?? null,
  }
}

/** At one sequence the completion speaks, for it says more. */
function latestOf(facts: RunFacts): RunObservation | undefined {
  const observed = facts.observations.at(-1)
  const completed = facts.completions.at(-1)
  if (observed === undefined || completed === undefined) return observed ?? completed
  return completed.sequence >= observed.sequence ? completed : observed
}

/** The request's own time where known; until it arrives, the earliest of what was heard. */
function createdAtOf(facts: RunFacts): number {
  const stated = facts.request?.createdAt ?? facts.completions.find((item) => item.createdAt !== null)?.createdAt
  return stated ?? Math.min(...[...facts.observations, ...facts.completions].map((seen) => seen.at))
}

function startedAtOf(facts: RunFacts): number | null {
  const stated = facts.completions.find((item) => item.startedAt !== null)?.startedAt
  return stated ?? facts.observations.find((seen) => seen.status === 'running')?.at ?? null
}
