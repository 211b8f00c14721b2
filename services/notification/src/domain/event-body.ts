import { type common, type events, type RunStart, runStarter, traceIdOf } from '@millrace/contracts'
import type { NotificationType } from './topic.js'

export type NotifiedEvent = NotifiedFact & { traceparent?: string | undefined }

type NotifiedFact =
  | { topic: 'workflow.started'; time: string; data: events.WorkflowStarted__Output }
  | { topic: 'workflow.completed'; time: string; data: events.WorkflowCompleted__Output }
  | { topic: 'task.dead-lettered'; time: string; data: events.TaskDeadLettered__Output }
  | { topic: 'approval.requested'; time: string; data: events.ApprovalRequested__Output }
  | { topic: 'run.late'; time: string; data: events.RunLate__Output }
  | { topic: 'schedule.missed'; time: string; data: events.ScheduleMissed__Output }
  | { topic: 'worker.lost'; time: string; data: events.WorkerLost__Output }
  | { topic: 'queue.backlog'; time: string; data: events.QueueBacklog__Output }

/** What a receiver gets, and what mails and chat messages are written from. */
export interface Body {
  type: NotificationType | 'subscription.test' | 'subscription.disabled' | 'digest'
  timestamp: string
  data: Record<string, unknown>
}

/** Receivers limit what they read; a larger output is fetched by the run's id. */
export const largestOutputBytes = 64 * 1024

interface BodyOptions {
  type?: NotificationType
  /** Where people reach the platform; without it nothing has a link. */
  publicUrl?: string | undefined
}

export function bodyOf(event: NotifiedEvent, { type = event.topic, publicUrl }: BodyOptions = {}): Body {
  return { type, timestamp: event.time, data: { ...commonData(event, publicUrl), ...ownData(event) } }
}

function commonData({ data, traceparent = '' }: NotifiedEvent, publicUrl?: string): Record<string, unknown> {
  const { projectId } = data
  if (!('runId' in data)) return { projectId }
  const { runId, workflow, version, labels } = data
  const url = publicUrl === undefined ? {} : { url: `${publicUrl}/runs/${runId}?project=${projectId}` }
  return { runId, projectId, workflow, version, labels, traceId: traceIdOf(traceparent), ...url }
}

function ownData(event: NotifiedEvent): Record<string, unknown> {
  switch (event.topic) {
    case 'workflow.started':
      return startedData(event.data)
    case 'workflow.completed':
      return completedData(event.data)
    case 'task.dead-lettered':
      return {
        status: 'failed',
        task: event.data.key,
        ...(event.data.index >= 0 ? { index: event.data.index } : {}),
        jobId: event.data.taskId,
        attempt: event.data.attempt,
        error: failureOf(event.data.error),
      }
    case 'approval.requested':
      return {
        status: 'waiting',
        task: event.data.key,
        jobId: event.data.taskId,
        role: textOrNull(event.data.role),
        message: textOrNull(event.data.message),
      }
    case 'run.late':
      return lateData(event.data)
    case 'schedule.missed':
      return missedData(event.data)
    case 'worker.lost': {
      const { name, workerIds, tasks, shared, count } = event.data
      return { name, workerIds, tasks, shared, count }
    }
    case 'queue.backlog': {
      const { queue, depth, oldestMs, count } = event.data
      return { queue, depth, oldestMs, count }
    }
  }
}

/** Without the input, which may be large and is the run's to show. */
function startedData(data: events.WorkflowStarted__Output): Record<string, unknown> {
  return {
    status: data.hold ? 'paused' : 'queued',
    priority: data.priority,
    ...startedBy(data),
    createdAt: textOrNull(data.createdAt),
    runAt: textOrNull(data.startAt),
  }
}

function lateData(data: events.RunLate__Output): Record<string, unknown> {
  return {
    status: data.status,
    reason: data.reason,
    expectedMs: data.expectedMs,
    createdAt: textOrNull(data.createdAt),
    startedAt: textOrNull(data.startedAt),
  }
}

function missedData(data: events.ScheduleMissed__Output): Record<string, unknown> {
  const { workflow, scheduleId, reason, firstTick, lastTick, code, message, count } = data
  const error = code === '' ? null : { code, message }
  return { workflow, scheduleId, name: textOrNull(data.name), reason, firstTick, lastTick, count, error }
}

function completedData(data: events.WorkflowCompleted__Output): Record<string, unknown> {
  return {
    status: data.status,
    reason: textOrNull(data.reason),
    generation: data.generation,
    ...startedBy(data),
    createdAt: textOrNull(data.createdAt),
    startedAt: textOrNull(data.startedAt),
    finishedAt: textOrNull(data.finishedAt),
    ...outputOf(data.outputJson),
    error: runFailureOf(data),
  }
}

const startedBy = (start: RunStart) => ({ startedBy: runStarter(start) })

function outputOf(json: string): Record<string, unknown> {
  if (json === '') return { output: null }
  if (new TextEncoder().encode(json).length > largestOutputBytes) return { output: null, outputOmitted: true }
  return { output: JSON.parse(json) as unknown }
}

function failureOf(failure: common.Failure__Output | null): Record<string, unknown> | null {
  if (failure === null) return null
  return { code: failure.code, message: failure.message, class: failure.class, retryable: failure.retryable }
}

/** Also the task whose failure failed the run and, if that is a map, the first item that failed. */
function runFailureOf(data: events.WorkflowCompleted__Output): Record<string, unknown> | null {
  const failure = failureOf(data.error)
  const index = data._failedIndex === undefined ? {} : { index: data.failedIndex }
  return failure && { task: textOrNull(data.failedTask), ...index, ...failure }
}

const textOrNull = (text: string) => (text === '' ? null : text)
