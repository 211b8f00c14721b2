import type { JobStatus, RunStatus } from './statuses.js'

export interface Failure {
  code: string
  message: string
  class: string
  retryable: boolean
}

/** What an event says of a job that does not change over the job's life. */
export interface JobIdentity {
  projectId: string
  runId: string
  workflow: string
  version: number
  task: string
  /** Place in a map; null for a task that is not a map's child. */
  index: number | null
  uses: string
  queue: string
  maxAttempts: number
}

/** The scheduler's word on a task: the only source of status. */
export interface JobObserved {
  kind: 'observed'
  jobId: string
  sequence: number
  at: Date
  identity: JobIdentity
  status: JobStatus
  attempt: number
  workerId: string | null
  error: Failure | null
  traceId: string | null
  /** Of the run; not every event says them. */
  labels?: Record<string, string>
}

/** A worker's claim: never a status, only what it measured. */
export interface JobClaimed {
  kind: 'claimed'
  jobId: string
  projectId: string
  runId: string
  leaseId: string
  attempt: number
  at: Date
  executionMs: number
  outputBytes: number | null
  error: Failure | null
}

export interface JobDeadLettered {
  kind: 'dead-lettered'
  jobId: string
  projectId: string
  runId: string
  at: Date
}

export type JobChange = JobObserved | JobClaimed | JobDeadLettered

export interface RunRequested {
  kind: 'requested'
  runId: string
  projectId: string
  workflow: string
  version: number
  createdAt: Date
  priority: number
  labels: Record<string, string>
  requestedBy: string
  traceId: string | null
}

export interface RunObserved {
  kind: 'observed'
  runId: string
  projectId: string
  workflow: string
  version: number
  sequence: number
  at: Date
  status: RunStatus
  reason: string
  generation: number
  traceId: string | null
}

export interface RunCompleted extends Omit<RunObserved, 'kind'> {
  kind: 'completed'
  error: Failure | null
  labels: Record<string, string>
  createdAt: Date | null
  startedAt: Date | null
  finishedAt: Date | null
}

export type RunChange = RunRequested | RunObserved | RunCompleted

export interface ArtifactRecord {
  id: string
  projectId: string
  runId: string
  /** Key of the task that made it; empty = of the run as a whole. */
  task: string
  name: string
  size: number
  sha256: string
  contentType: string
  createdAt: Date
}
