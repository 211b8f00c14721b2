import type { common, scheduler } from '@millrace/contracts'
import type { RunView, TaskView } from '../db/queries.js'
import { approvalTerms } from '../domain/approval.js'
import type { EnginePlan } from '../domain/engine-plan.js'
import { bareFailure, type Failure } from '../domain/failure.js'
import { readInput } from '../domain/task-input.js'
import { signalName } from '../domain/waiting.js'
import type { FilledLease } from '../engine/lease-replies.js'

const time = (value: Date | null): string => value?.toISOString() ?? ''

export const toProtoFailure = (error: Failure | null): common.Failure | null => error && bareFailure(error)

export function toProtoRun(run: RunView): scheduler.Run {
  return {
    id: run.id,
    projectId: run.project_id,
    workflow: run.workflow,
    version: run.version,
    versionId: run.version_id,
    status: run.status,
    reason: run.reason ?? '',
    inputJson: run.input ?? '',
    outputJson: run.output ?? '',
    error: toProtoFailure(run.error),
    priority: run.priority,
    labels: run.labels,
    createdAt: time(run.created_at),
    startedAt: time(run.started_at),
    finishedAt: time(run.finished_at),
    rev: run.rev,
    generation: run.generation,
    traceparent: run.traceparent ?? '',
    parent: run.origin?.parent ?? null,
    rerun: run.origin?.rerun ?? null,
    requestedBy: run.requested_by,
    requestedByName: run.requested_by_name ?? '',
    runAt: run.origin?.startAt ?? time(run.run_at),
    failedTask: run.error?.task ?? '',
    ...(run.error?.index === undefined ? {} : { failedIndex: run.error.index }),
  }
}

/** How the tasks of this run are shown: it knows which of them it took over from another, its plan what they are given. */
export function taskMapper(run: RunView, plan: EnginePlan): (task: TaskView) => scheduler.Task {
  const rerun = run.origin?.rerun
  const reused = new Set(rerun?.reused)
  // Of a map of which one child runs again, what succeeded without having been started was taken over.
  const isReused = ({ idx, ordinal, key, status, started_at }: TaskView): boolean =>
    idx < 0
      ? reused.has(ordinal)
      : rerun !== undefined && rerun.index >= 0 && key === rerun.from && status === 'succeeded' && started_at === null
  return (task) => {
    const input = inputOf(task, plan)
    return { ...toProtoTask(task), reused: isReused(task), inputJson: input, waitingFor: waitingFor(task, input) }
  }
}

/** Empty until an attempt was ready: before that nothing has been resolved. */
function inputOf({ ordinal, idx, input, attempt, status, output_omitted }: TaskView, plan: EnginePlan): string {
  const begun = attempt > 0 || !['pending', 'skipped', 'cancelled'].includes(status)
  return begun && !output_omitted ? readInput(plan.tasks[ordinal], idx, input).input : ''
}

function waitingFor(task: TaskView, input: string): scheduler.WaitingFor | null {
  if (task.status !== 'waiting') return null
  switch (task.uses) {
    case 'approval':
      return { kind: 'approval', ...approvalTerms(input || 'null') }
    case 'signal':
      return { kind: 'signal', name: signalName(input || 'null') }
    case 'workflow':
      return { kind: 'run', runId: task.child_run_id ?? '' }
    case 'map':
      return { kind: 'map', done: task.map_done ?? 0, total: task.map_total ?? 0 }
    default:
      return null
  }
}

export function toProtoTask(task: TaskView): scheduler.Task {
  return {
    id: task.id,
    runId: task.run_id,
    key: task.key,
    ...(task.idx >= 0 ? { index: task.idx } : {}),
    name: task.name,
    uses: task.uses,
    status: task.status,
    attempt: task.attempt,
    maxAttempts: task.max_attempts,
    queuedAt: time(task.queued_at),
    startedAt: time(task.started_at),
    finishedAt: time(task.finished_at),
    workerId: task.worker_id ?? '',
    outputJson: task.output ?? '',
    error: toProtoFailure(task.error),
    rev: task.rev,
    queue: task.queue,
    childRunId: task.child_run_id ?? '',
    outputOmitted: task.output_omitted,
    progress: progressOf(task),
  }
}

function progressOf({ progress_number: number, progress_percent: percent, progress_message: message }: TaskView) {
  if (number === null) return null
  return { ...(percent === null ? {} : { percent }), message: message ?? '', number }
}

export function toProtoLease({ lease, input, secrets }: FilledLease): scheduler.Lease {
  return {
    taskId: lease.taskId,
    runId: lease.runId,
    projectId: lease.projectId,
    workflow: lease.workflow,
    key: lease.key,
    ...(lease.index >= 0 ? { index: lease.index } : {}),
    uses: lease.uses,
    attempt: lease.attempt,
    maxAttempts: lease.maxAttempts,
    token: lease.token,
    leaseId: lease.leaseId,
    inputJson: input,
    idempotencyKey: lease.idempotencyKey,
    timeoutMs: lease.timeoutMs,
    traceparent: lease.traceparent,
    secrets: [...secrets],
  }
}
