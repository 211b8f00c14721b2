import type { events } from '@millrace/contracts'
import {
  type ChangeBatch,
  type Failure,
  type JobChange,
  type JobStatus,
  jobStatuses,
  type RunChange,
  type RunStatus,
  runStatuses,
} from '@millrace/job-store'

/** The envelope of an event, as far as it matters here. */
interface Envelope {
  time: string
  sequence: string
  traceparent?: string
}

type Event<D> = Envelope & { data: D }

export function emptyBatch(): ChangeBatch {
  return { jobs: [], runs: [], artifacts: [] }
}

export function runRequested(event: Event<events.WorkflowStarted__Output>): RunChange {
  const { runId, projectId, workflow, version, priority, labels, requestedBy } = event.data
  const createdAt = timeOf(event.data.createdAt) ?? new Date(event.time)
  const traceId = traceIdOf(event)
  return { kind: 'requested', runId, projectId, workflow, version, createdAt, priority, labels, requestedBy, traceId }
}

export function runObserved(
  event: Event<events.WorkflowUpdated__Output | events.WorkflowCompleted__Output>,
): Extract<RunChange, { kind: 'observed' }> {
  const { runId, projectId, workflow, version, reason, generation } = event.data
  return {
    kind: 'observed',
    runId,
    projectId,
    workflow,
    version,
    sequence: Number(event.sequence),
    at: new Date(event.time),
    status: known<RunStatus>(runStatuses, event.data.status),
    reason,
    generation,
    traceId: traceIdOf(event),
  }
}

export function runCompleted(event: Event<events.WorkflowCompleted__Output>): RunChange {
  const { labels, createdAt, startedAt, finishedAt, error } = event.data
  return {
    ...runObserved(event),
    kind: 'completed',
    error: failureOf(error),
    labels,
    createdAt: timeOf(createdAt),
    startedAt: timeOf(startedAt),
    finishedAt: timeOf(finishedAt),
  }
}

export function jobObserved(event: Event<events.TaskUpdated__Output>): JobChange {
  const { taskId, projectId, runId, workflow, version, key, index, uses, queue, maxAttempts } = event.data
  return {
    kind: 'observed',
    jobId: taskId,
    sequence: Number(event.sequence),
    at: new Date(event.time),
    identity: {
      projectId,
      runId,
      workflow,
      version,
      task: key,
      index: index < 0 ? null : index,
      uses,
      queue,
      maxAttempts,
    },
    status: known<JobStatus>(jobStatuses, event.data.status),
    attempt: event.data.attempt,
    workerId: event.data.workerId === '' ? null : event.data.workerId,
    error: failureOf(event.data.error),
    traceId: traceIdOf(event),
    labels: event.data.labels,
  }
}

export function jobClaimed(event: Event<events.TaskCompleted__Output | events.TaskFailed__Output>): JobChange {
  const { data } = event
  return {
    kind: 'claimed',
    jobId: data.taskId,
    projectId: data.projectId,
    runId: data.runId,
    leaseId: data.leaseId,
    attempt: data.attempt,
    at: new Date(event.time),
    executionMs: data.durationMs,
    outputBytes: 'outputJson' in data ? new TextEncoder().encode(data.outputJson).length : null,
    error: 'error' in data ? failureOf(data.error) : null,
  }
}

export function jobDeadLettered(event: Event<events.TaskDeadLettered__Output>): JobChange {
  const { taskId, projectId, runId } = event.data
  return { kind: 'dead-lettered', jobId: taskId, projectId, runId, at: new Date(event.time) }
}

/** Undefined for a file that belongs to no run. */
export function artifactCreated(
  event: Event<events.ArtifactCreated__Output>,
): ChangeBatch['artifacts'][number] | undefined {
  const { artifactId, projectId, runId, task, name, size, sha256, contentType } = event.data
  if (runId === '') return undefined
  return { id: artifactId, projectId, runId, task, name, size, sha256, contentType, createdAt: new Date(event.time) }
}

/** A status of a newer version: the event is put aside rather than guessed at. */
function known<S extends string>(statuses: readonly S[], status: string): S {
  const found = statuses.find((each) => each === status)
  if (found === undefined) throw new TypeError(`unknown status ${status}`)
  return found
}

function failureOf(error: Failure | null | undefined): Failure | null {
  if (error === null || error === undefined) return null
  return { code: error.code, message: error.message, class: error.class, retryable: error.retryable }
}

function timeOf(text: string): Date | null {
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : new Date(at)
}

function traceIdOf(event: Envelope): string | null {
  return /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(event.traceparent ?? '')?.[1] ?? null
}
