import { randomUUID } from 'node:crypto'
import type {
  ArtifactRecord,
  Failure,
  JobChange,
  JobIdentity,
  JobObserved,
  RunChange,
  RunObserved,
} from '../domain/changes.js'
import { type LogLine, NO_LEASE } from '../port.js'

export const epoch = Date.parse('2026-01-02T03:04:05.000Z')
export const failure = (message: string): Failure => ({ code: 'boom', message, class: 'user', retryable: true })

export interface JobSeed {
  projectId: string
  jobId?: string
  runId?: string
  startAt?: number
  identity?: Partial<JobIdentity>
}

export function observer(seed: JobSeed) {
  const jobId = seed.jobId ?? randomUUID()
  const runId = seed.runId ?? randomUUID()
  const startAt = seed.startAt ?? epoch
  const identity: JobIdentity = {
    projectId: seed.projectId,
    runId,
    workflow: 'orders',
    version: 1,
    task: 'pay',
    index: null,
    uses: 'http',
    queue: 'default',
    maxAttempts: 3,
    ...seed.identity,
  }
  /** The event numbered `sequence`, at `sequence` times 100 ms after the start. */
  const saw = (sequence: number, status: JobObserved['status'], more: Partial<JobObserved> = {}): JobObserved => ({
    kind: 'observed',
    jobId,
    sequence,
    at: new Date(startAt + sequence * 100),
    identity,
    status,
    attempt: 1,
    workerId: null,
    error: null,
    traceId: 'a'.repeat(32),
    ...more,
  })
  return { jobId, runId, saw }
}

/** Queued, failed on w1, retried, succeeded on w2: every kind of change a job can hear of. */
export function jobHistory(seed: JobSeed): { jobId: string; runId: string; changes: JobChange[] } {
  const { jobId, runId, saw } = observer(seed)
  const claim = { kind: 'claimed', jobId, runId, projectId: seed.projectId } as const
  const changes: JobChange[] = [
    saw(1, 'pending', { attempt: 0 }),
    saw(2, 'queued', { attempt: 0 }),
    saw(3, 'running', { workerId: 'w1' }),
    {
      ...claim,
      leaseId: 'lease-1',
      attempt: 1,
      at: new Date(epoch + 399),
      executionMs: 90,
      outputBytes: null,
      error: failure('first'),
    },
    saw(4, 'delayed', { error: failure('first') }),
    saw(5, 'queued'),
    saw(7, 'running', { attempt: 2, workerId: 'w2' }),
    {
      ...claim,
      leaseId: 'lease-2',
      attempt: 2,
      at: new Date(epoch + 899),
      executionMs: 95,
      outputBytes: 12,
      error: null,
    },
    saw(8, 'succeeded', { attempt: 2, workerId: 'w2' }),
  ]
  return { jobId, runId, changes }
}

export function runHistory(seed: { projectId: string; runId?: string; startAt?: number; workflow?: string }): {
  runId: string
  changes: RunChange[]
} {
  const runId = seed.runId ?? randomUUID()
  const startAt = seed.startAt ?? epoch
  const base = {
    runId,
    projectId: seed.projectId,
    workflow: seed.workflow ?? 'orders',
    version: 1,
    traceId: 'b'.repeat(32),
  }
  const at = (sequence: number) => new Date(startAt + sequence * 100)
  const saw = (sequence: number, status: RunObserved['status'], generation = 0): RunObserved => ({
    kind: 'observed',
    ...base,
    sequence,
    at: at(sequence),
    status,
    reason: '',
    generation,
  })
  const completed = (sequence: number, status: RunObserved['status'], generation: number): RunChange => ({
    ...saw(sequence, status, generation),
    kind: 'completed',
    at: new Date(at(sequence).getTime() + 1),
    error: status === 'failed' ? failure('run') : null,
    labels: { team: 'shop' },
    createdAt: at(0),
    startedAt: at(2),
    finishedAt: at(sequence),
  })
  const changes: RunChange[] = [
    { kind: 'requested', ...base, createdAt: at(0), priority: 5, labels: { team: 'shop' }, requestedBy: 'user:1' },
    saw(1, 'queued'),
    saw(2, 'running'),
    saw(6, 'failed'),
    completed(6, 'failed', 0),
    saw(7, 'running', 1),
    saw(9, 'succeeded', 1),
    completed(9, 'succeeded', 1),
  ]
  return { runId, changes }
}

export function logLine(place: Pick<LogLine, 'projectId' | 'runId' | 'jobId'>, more: Partial<LogLine> = {}): LogLine {
  const seq = more.seq ?? 1
  return {
    ...place,
    task: 'pay',
    attempt: 1,
    leaseId: NO_LEASE,
    seq,
    at: new Date(epoch + seq),
    level: 'info',
    stream: 'stdout',
    message: `line ${seq}`,
    ...more,
  }
}

export function artifact(projectId: string, runId: string, task: string): ArtifactRecord {
  return {
    id: randomUUID(),
    projectId,
    runId,
    task,
    name: 'receipt.pdf',
    size: 10,
    sha256: 'c'.repeat(64),
    contentType: 'application/pdf',
    createdAt: new Date(epoch),
  }
}
