import type { Failure, RunChange, RunCompleted, RunRequested } from './changes.js'
import { earlier, later, union } from './semilattice.js'
import type { RunStatus } from './statuses.js'

export interface RunObservation {
  sequence: number
  status: RunStatus
  reason: string
  generation: number
  at: number
}

export interface RunCompletion extends RunObservation {
  error: Failure | null
  labels: Record<string, string>
  createdAt: number | null
  startedAt: number | null
  finishedAt: number | null
}

export interface RunRequest {
  sequence: 0
  createdAt: number
  priority: number
  labels: Record<string, string>
  requestedBy: string
}

export interface RunFacts {
  id: string
  projectId: string
  workflow: string
  version: number
  request: RunRequest | null
  /** By sequence, of `workflow.updated`. */
  observations: RunObservation[]
  /** By generation: a run that was retried ends once for each. */
  completions: RunCompletion[]
  trace: { sequence: number; traceId: string } | null
}

export function runFactsOf(change: RunChange): RunFacts {
  const { projectId, workflow, version, traceId } = change
  const sequence = change.kind === 'requested' ? 0 : change.sequence
  const trace = traceId === null ? null : { sequence, traceId }
  const base = {
    id: change.runId,
    projectId,
    workflow,
    version,
    request: null,
    observations: [],
    completions: [],
    trace,
  }
  if (change.kind === 'requested') return { ...base, request: requestOf(change) }
  if (change.kind === 'completed') return { ...base, completions: [completionOf(change)] }
  const { status, reason, generation } = change
  return { ...base, observations: [{ sequence: change.sequence, status, reason, generation, at: change.at.getTime() }] }
}

function requestOf(change: RunRequested): RunRequest {
  const { priority, labels, requestedBy } = change
  return { sequence: 0, createdAt: change.createdAt.getTime(), priority, labels, requestedBy }
}

function completionOf(change: RunCompleted): RunCompletion {
  return {
    sequence: change.sequence,
    status: change.status,
    reason: change.reason,
    generation: change.generation,
    at: change.at.getTime(),
    error: change.error,
    labels: change.labels,
    createdAt: change.createdAt?.getTime() ?? null,
    startedAt: change.startedAt?.getTime() ?? null,
    finishedAt: change.finishedAt?.getTime() ?? null,
  }
}

export function mergeRunFacts(a: RunFacts, b: RunFacts): RunFacts {
  return {
    id: a.id,
    projectId: a.projectId,
    workflow: a.workflow,
    version: a.version,
    request: later(a.request, b.request),
    observations: union(a.observations, b.observations, (item) => item.sequence),
    completions: union(a.completions, b.completions, (item) => item.generation),
    trace: earlier(a.trace, b.trace),
  }
}

export function runFactsCover(known: RunFacts, news: RunFacts): boolean {
  const sequences = new Set(known.observations.map((item) => item.sequence))
  const generations = new Set(known.completions.map((item) => item.generation))
  return (
    (news.request === null || known.request !== null) &&
    news.observations.every((item) => sequences.has(item.sequence)) &&
    news.completions.every((item) => generations.has(item.generation))
  )
}
