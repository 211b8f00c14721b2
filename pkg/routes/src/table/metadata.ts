import { defineRoute } from '../define-route.js'
import { answer, anyOf, boolean, id, integer, list, nullable, object, oneOf, page, text, time } from '../schema.js'
import type { Route } from '../types.js'
import { taskStatus as status } from './workflow-schemas.js'

const failure = object({ code: text(), message: text(), class: text(), retryable: boolean })
const count = integer(0)
const attempt = object({
  attempt: count,
  status: oneOf('running', 'succeeded', 'failed', 'cancelled', 'handed_back', 'lost_worker'),
  workerId: nullable(text()),
  queuedAt: nullable(time),
  startedAt: nullable(time),
  finishedAt: nullable(time),
  queueWaitMs: nullable(count),
  durationMs: nullable(count),
  executionMs: nullable(count),
  error: nullable(failure),
})
const metrics = {
  attempts: count,
  retries: count,
  queueWaitMs: count,
  executionMs: count,
  durationMs: nullable(count),
  totalMs: nullable(count),
  outputBytes: nullable(count),
}
const jobFields = {
  id,
  runId: id,
  workflow: text(),
  version: count,
  task: text(),
  index: nullable(count),
  uses: text(),
  queue: text(),
  status,
  attempt: count,
  maxAttempts: count,
  workerId: nullable(text()),
  error: nullable(failure),
  createdAt: time,
  queuedAt: nullable(time),
  startedAt: nullable(time),
  finishedAt: nullable(time),
  updatedAt: time,
  deadLetteredAt: nullable(time),
  traceId: nullable(text(32)),
  labels: { type: 'object', additionalProperties: text(256) },
  attempts: list(attempt),
  metrics: object(metrics),
}
const job = object(jobFields)
const artifact = object({ id, name: text(), size: count, sha256: text(), contentType: text(), createdAt: time })
const jobDetail = object({ ...jobFields, artifacts: list(artifact) })
const logCounts = object({ lines: count, bytes: count, byLevel: { type: 'object', additionalProperties: count } })
const jobMetrics = object({ jobId: id, status, ...metrics, logs: logCounts, byAttempt: list(attempt) })
const percentiles = object({ p50: nullable(count), p95: nullable(count), p99: nullable(count) })
const statusStats = {
  total: count,
  counts: { type: 'object', additionalProperties: count },
  durations: percentiles,
  queueWait: percentiles,
}
const ofRuns = object(statusStats)
const stats = object({
  from: time,
  to: time,
  bucketMs: count,
  ...statusStats,
  runs: ofRuns,
  buckets: list(object({ from: time, ...statusStats, runs: ofRuns })),
})
const taskStats = object(
  {
    workflow: text(),
    key: text(),
    runs: count,
    failures: count,
    retries: count,
    p50: nullable(count),
    p95: nullable(count),
    p99: nullable(count),
    wait: percentiles,
  },
  ['workflow', 'key', 'runs', 'failures', 'retries', 'p50', 'p95', 'p99', 'wait'],
)
const logLine = object({
  seq: count,
  at: time,
  level: oneOf('debug', 'info', 'warn', 'error'),
  stream: oneOf('stdout', 'stderr', 'system'),
  message: text(),
  task: text(),
  attempt: count,
  jobId: id,
  leaseId: id,
  position: text(400, { description: 'Give it as after to go on behind this line' }),
})
const logAnswer = answer('A line each, as NDJSON, or as events with Accept: text/event-stream', logLine)
const logQuery = {
  follow: boolean,
  attempt: integer(1, 2147483647),
  level: {
    ...anyOf(oneOf('debug', 'info', 'warn', 'error')),
    description: 'This level and above; of several, these alone',
  },
  task: text(200, { description: 'Key of a task' }),
  from: time,
  to: time,
  tail: { ...integer(0, 100_000), description: 'Only the last lines; with follow, and what comes after them' },
  limit: { ...integer(1, 10_000_000), description: 'The answer ends after so many lines' },
  after: text(400, { description: "The position of a line, or a line's number within its lease" }),
  download: { ...boolean, description: 'Sent as an attachment' },
}

export const metadataRoutes: readonly Route[] = [
  defineRoute({
    operationId: 'listJobs',
    service: 'metadata',
    method: 'GET',
    path: '/api/v1/jobs',
    access: 'viewer',
    summary: 'Task executions',
    tag: 'Jobs',
    list: true,
    query: {
      run: text(64),
      workflow: text(200),
      task: text(200),
      status: anyOf(status),
      worker: text(200),
      errorCode: text(200, { description: 'Code of the error that the job shows' }),
      label: text(600, { description: 'key=value, a label of the run' }),
      from: time,
      to: time,
      q: text(200, { description: 'Part of the name of the workflow or task, of the executor, or of the error' }),
    },
    responses: { 200: answer('Jobs', page(job)) },
  }),
  defineRoute({
    operationId: 'getJob',
    service: 'metadata',
    method: 'GET',
    path: '/api/v1/jobs/{id}',
    access: 'viewer',
    summary: 'A task execution and its attempts',
    tag: 'Jobs',
    responses: { 200: answer('The job', jobDetail) },
  }),
  defineRoute({
    operationId: 'getJobLogs',
    service: 'metadata',
    method: 'GET',
    path: '/api/v1/jobs/{id}/logs',
    access: 'viewer',
    summary: 'Log lines of a job, plain or followed',
    tag: 'Jobs',
    query: logQuery,
    stream: 'ndjson',
    responses: { 200: logAnswer },
  }),
  defineRoute({
    operationId: 'getJobMetrics',
    service: 'metadata',
    method: 'GET',
    path: '/api/v1/jobs/{id}/metrics',
    access: 'viewer',
    summary: 'Metrics of a job',
    tag: 'Jobs',
    responses: { 200: answer('Metrics', jobMetrics) },
  }),
  defineRoute({
    operationId: 'getRunLogs',
    service: 'metadata',
    method: 'GET',
    path: '/api/v1/runs/{id}/logs',
    access: 'viewer',
    summary: 'Log lines of a run, plain or followed',
    tag: 'Jobs',
    query: logQuery,
    stream: 'ndjson',
    responses: { 200: logAnswer },
  }),
  defineRoute({
    operationId: 'getStats',
    service: 'metadata',
    method: 'GET',
    path: '/api/v1/stats',
    access: 'viewer',
    summary: 'Counts, durations and queue waits over time',
    tag: 'Jobs',
    query: {
      from: time,
      to: time,
      workflow: text(200),
      bucket: text(20, { description: 'minute, hour, day, or a length such as 5m' }),
    },
    responses: { 200: answer('Statistics', stats) },
  }),
  defineRoute({
    operationId: 'getTaskStats',
    service: 'metadata',
    method: 'GET',
    path: '/api/v1/stats/tasks',
    access: 'viewer',
    summary: 'Which tasks are slow, fail or wait',
    tag: 'Jobs',
    query: {
      workflow: text(200),
      from: time,
      to: time,
      order: {
        ...oneOf('name', 'failures'),
        description: 'By workflow and task, unless given; `failures`: only tasks that failed, what failed most first',
      },
      limit: { ...integer(1, 2_000), description: 'At most so many tasks' },
    },
    responses: {
      200: answer(
        'Each task of each workflow over the time asked for, the last day unless told; milliseconds',
        object({ from: time, to: time, items: list(taskStats) }, ['from', 'to', 'items']),
      ),
    },
  }),
]
