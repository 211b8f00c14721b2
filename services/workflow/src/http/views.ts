import { runStarter, traceIdOf } from '@millrace/contracts'
import { compensatedKey, type Plan, type PlanTask } from '@millrace/definition'
import type { ProtoLetter, ProtoRun, ProtoTask } from '../clients/scheduler.js'
import { type RunRequest, statusOfRequest } from '../db/run-requests.js'
import type { VersionRow } from '../db/versions.js'
import type { WorkflowRow } from '../db/workflows.js'

export type View = Record<string, unknown>

const orNull = (text: string): string | null => (text === '' ? null : text)
const parsed = (json: string): unknown => (json === '' ? null : JSON.parse(json))

type ProtoFailure = ProtoTask['error']

function failureView(failure: ProtoFailure): View | null {
  if (!failure) return null
  const { code, message, class: kind, retryable } = failure
  return { code, message, class: kind, retryable }
}

/** The task that a run is a child of. */
function parentView(parent: ProtoRun['parent']): View | null {
  if (!parent) return null
  return { runId: parent.runId, task: parent.key, ...(parent.index < 0 ? {} : { index: parent.index }) }
}

/** The run that a run repeats, and from where. */
function rerunView(rerun: ProtoRun['rerun']): View | null {
  if (!rerun) return null
  const from = rerun.index < 0 ? rerun.from : `${rerun.from}[${rerun.index}]`
  return { runId: rerun.runId, from: orNull(from) }
}

/** Of a failed run: also the task whose failure failed it and, if that is a map, the first item that failed. */
function runFailureView({ error, failedTask, failedIndex, _failedIndex }: ProtoRun): View | null {
  const view = failureView(error)
  const index = failedIndex === undefined || _failedIndex === undefined ? {} : { index: failedIndex }
  return view && { task: orNull(failedTask), ...index, ...view }
}

/** A schedule's name is with the run; those of people and keys are asked for by whoever shows them. */
function startedBy(run: ProtoRun): View | null {
  const starter = runStarter(run)
  return starter && { ...starter, ...(run.requestedByName === '' ? {} : { name: run.requestedByName }) }
}

/** What lists show: everything but payloads. */
export function runSummary(run: ProtoRun): View & { id: string; createdAt: string } {
  return {
    id: run.id,
    workflow: run.workflow,
    version: run.version,
    status: run.status,
    reason: orNull(run.reason),
    error: runFailureView(run),
    priority: run.priority,
    labels: run.labels,
    parent: parentView(run.parent),
    rerunOf: rerunView(run.rerun),
    startedBy: startedBy(run),
    traceId: traceIdOf(run.traceparent),
    ...(run.runAt === '' ? {} : { runAt: run.runAt }),
    createdAt: run.createdAt,
    startedAt: orNull(run.startedAt),
    finishedAt: orNull(run.finishedAt),
  }
}

export function runView(run: ProtoRun): View {
  return { ...runSummary(run), input: parsed(run.inputJson), output: parsed(run.outputJson) }
}

export const runDetail = (run: ProtoRun, tasks: readonly ProtoTask[]): View => ({
  ...runView(run),
  ...expected(run.expectedDuration),
  tasks: tasks.map(taskView),
})

const expected = (duration: string | undefined): View => (duration ? { expectedDuration: duration } : {})

export function taskView(task: ProtoTask): View {
  return {
    key: task.key,
    ...(task.index === undefined || task._index === undefined ? {} : { index: task.index }),
    name: task.name,
    uses: task.uses,
    jobId: task.id,
    status: task.status,
    attempt: task.attempt,
    maxAttempts: task.maxAttempts,
    queuedAt: orNull(task.queuedAt),
    startedAt: orNull(task.startedAt),
    finishedAt: orNull(task.finishedAt),
    workerId: orNull(task.workerId),
    ...(task.reused ? { reused: true } : {}),
    ...compensatesView(task.key),
    ...(task.childRunId === '' ? {} : { childRunId: task.childRunId }),
    input: parsed(task.inputJson),
    output: parsed(task.outputJson),
    error: failureView(task.error),
    ...(task.waitingFor ? { waitingFor: waitingView(task.waitingFor) } : {}),
    ...(task.progress ? { progress: progressView(task.progress) } : {}),
  }
}

/** Of a compensation: the task that it undoes. */
function compensatesView(key: string): View {
  const compensates = compensatedKey(key)
  return compensates === undefined ? {} : { compensates }
}

function progressView({ percent, _percent, message }: NonNullable<ProtoTask['progress']>): View {
  return { ...(_percent === undefined ? {} : { percent }), ...(message === '' ? {} : { message }) }
}

type Waiting = NonNullable<ProtoTask['waitingFor']>

function waitingView({ kind, role, message, name, runId, done, total }: Waiting): View {
  switch (kind) {
    case 'approval':
      return { kind, role, message: orNull(message) }
    case 'signal':
      return { kind, name }
    case 'run':
      return { kind, runId: orNull(runId) }
    default:
      return { kind, done, total }
  }
}

export function letterView(letter: ProtoLetter): View {
  return {
    id: letter.id,
    runId: letter.runId,
    workflow: letter.workflow,
    version: letter.version,
    taskKey: letter.taskKey,
    ...(letter._index === undefined ? {} : { index: letter.index }),
    jobId: letter.taskId,
    error: failureView(letter.error),
    attempts: letter.attempts.map(({ attempt, at, workerId, error }) => ({
      attempt,
      at,
      workerId: orNull(workerId),
      error: failureView(error),
    })),
    input: parsed(letter.inputJson),
    at: letter.at,
    state: letter.state,
  }
}

/** A run that has not reached the scheduler, as the scheduler would show it. */
export function runOf(request: RunRequest): ProtoRun {
  const { id, projectId, workflow, version, versionId, inputJson, priority, labels, requestedBy, origin } = request
  return {
    ...{ id, projectId, workflow, version, versionId, inputJson, priority, labels, requestedBy },
    status: statusOfRequest(request),
    parent: origin?.parent ?? null,
    rerun: origin?.rerun ?? null,
    traceparent: request.traceparent ?? '',
    runAt: request.startAt?.toISOString() ?? '',
    createdAt: request.createdAt.toISOString(),
    requestedByName: '',
    ...{ reason: '', outputJson: '', error: null, failedTask: '', startedAt: '', finishedAt: '', expectedDuration: '' },
    // Below every rev that the scheduler gives.
    ...{ rev: 0, generation: 0 },
  }
}

export const requestDetail = (asked: ProtoRun, { tasks, expectedDuration }: Plan): View => ({
  ...runView(asked),
  ...expected(expectedDuration),
  tasks: tasks.map(pendingTaskView),
})

/** Its job has no id yet: the scheduler gives it one. */
export function pendingTaskView(task: PlanTask): View {
  return {
    key: task.key,
    ...compensatesView(task.key),
    name: task.name,
    uses: task.uses,
    jobId: null,
    status: 'pending',
    attempt: 0,
    maxAttempts: task.retry.maxAttempts,
    queuedAt: null,
    startedAt: null,
    finishedAt: null,
    workerId: null,
    input: null,
    output: null,
    error: null,
  }
}

export function workflowSummary(row: WorkflowRow): View {
  return {
    id: row.id,
    name: row.name,
    version: row.latestVersion,
    description: row.description,
    tags: row.tags,
    paused: row.paused,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** A workflow as one of its versions defines it. */
export function workflowView(row: WorkflowRow, version: VersionRow): View {
  return {
    ...workflowSummary(row),
    version: version.version,
    latestVersion: row.latestVersion,
    retention: version.definition.retention ?? null,
    definition: version.definition,
    graph: version.graph,
    versionCreatedAt: version.createdAt.toISOString(),
  }
}
