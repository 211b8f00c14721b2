import type { BatchRows } from '../db/batch/clauses.js'
import type { Failure } from '../domain/failure.js'
import { itemIdParts } from '../domain/item-id.js'
import { QueuePart } from '../domain/queue.js'
import { addEvents } from './build-events.js'
import { addMaps } from './build-maps.js'
import { messagesOf } from './build-messages.js'
import { type DecidedRun, queuedIndices, taskId } from './decided-run.js'
import type { Environment } from './environment.js'
import { type LargeOutputs, largeOutputsOf, noLargeOutputs, shownRunOutput } from './large-outputs.js'
import type { NewRunFacts } from './shard-item.js'

const errorText = (error: Failure | null): string | null => (error === null ? null : JSON.stringify(error))

/** `keeping`: large outputs are kept as artifacts. */
export function addRows(rows: BatchRows, run: DecidedRun, env: Environment, keeping: boolean): void {
  const large = keeping ? largeOutputsOf(run) : noLargeOutputs
  const output = shownRunOutput(run, large)
  if (run.newRun) addNewRun(rows, run, run.newRun, output)
  else addChange(rows, run, output)
  addPayloads(rows, run, large)
  addQueue(rows, run)
  addTimers(rows, run)
  addChildRuns(rows, run, env)
  addAdmission(rows, run)
  if (run.decision.effects.maps.length > 0) addMaps(rows, run)
  addEvents(rows, run, env, large)
}

function addNewRun(rows: BatchRows, run: DecidedRun, newRun: NewRunFacts, output: string | null): void {
  const { state, effects } = run.decision
  rows.newRuns.push({
    id: newRun.runId,
    projectId: newRun.projectId,
    workflowId: newRun.workflowId,
    workflow: newRun.workflow,
    version: newRun.version,
    versionId: newRun.versionId,
    status: state.status,
    reason: state.reason,
    priority: newRun.priority,
    labels: JSON.stringify(newRun.labels),
    requestedBy: newRun.requestedBy,
    traceparent: newRun.traceparent,
    origin: newRun.origin === null ? null : JSON.stringify(newRun.origin),
    queueDefaults: state.queueDefaults,
    input: newRun.input,
    output,
    error: errorText(effects.run?.error ?? null),
    createdAt: newRun.createdAt,
    started: effects.run?.started ?? false,
    ended: effects.run?.ended ?? false,
  })
  addItemCopy(rows, run, newRun)
  state.tasks.forEach((task, ordinal) => {
    const plan = run.plan.tasks[ordinal]
    if (!plan) return
    const grant = run.grants.get(ordinal)
    rows.newTasks.push({
      id: task.id,
      runId: state.id,
      projectId: state.projectId,
      ordinal,
      key: plan.key,
      name: plan.name,
      uses: plan.uses,
      queue: plan.queue,
      priority: plan.priority ?? state.priority,
      status: grant ? 'running' : task.status,
      attempt: task.attempt,
      maxAttempts: task.maxAttempts,
      timeoutMs: plan.timeoutMs ?? null,
      error: errorText(task.error),
      leaseId: grant?.leaseId ?? null,
      sessionId: grant?.sessionId ?? null,
      workerId: grant?.workerId ?? null,
    })
  })
}

function addItemCopy(rows: BatchRows, { before }: DecidedRun, { itemCopy }: NewRunFacts): void {
  const map = itemCopy && before.tasks[itemCopy.ordinal]
  if (!map) return
  const { prefix, suffix } = itemIdParts(map.id, itemCopy.ordinal)
  rows.itemCopies.push({ ...itemCopy, runId: before.id, prefix, suffix })
}

function addChange(rows: BatchRows, run: DecidedRun, output: string | null): void {
  const { before, decision } = run
  const change = decision.effects.run
  rows.runChanges.push({
    runId: before.id,
    expectedRev: before.rev,
    status: decision.state.status,
    reason: decision.state.reason,
    setOutput: change?.output !== undefined,
    output,
    setError: change?.error !== undefined,
    error: errorText(change?.error ?? null),
    started: change?.started ?? false,
    ended: change?.ended ?? false,
    reopened: change?.reopened ?? false,
    dropRetries: decision.effects.dropRetryTimers,
  })
  for (const task of decision.effects.tasks) {
    const id = taskId(run, task)
    const grant = run.grants.get(task.index)
    if (task.guard)
      rows.guards.push({
        runId: before.id,
        taskId: id,
        token: task.guard.token,
        leaseId: task.guard.leaseId,
        sessionId: task.guard.sessionId ?? null,
      })
    rows.taskChanges.push({
      id,
      unit: before.id,
      status: grant ? 'running' : task.status,
      attempt: task.attempt,
      maxAttempts: task.maxAttempts,
      error: errorText(task.error),
      attemptFailed: task.attemptFailed ?? false,
      mayHoldSlots: run.limited.has(task.index),
      fence: task.fence ?? false,
      leaseId: grant?.leaseId ?? null,
      sessionId: grant?.sessionId ?? null,
      workerId: grant?.workerId ?? null,
    })
  }
}

function addPayloads(rows: BatchRows, run: DecidedRun, large: LargeOutputs): void {
  for (const change of run.decision.effects.tasks) {
    const { copyFrom: fromTaskId } = change
    if (fromTaskId !== undefined)
      rows.payloadCopies.push({ taskId: taskId(run, change), runId: run.before.id, fromTaskId })
    if (change.input === undefined && (change.output === undefined || change.output === null)) continue
    const { input = null, output = null } = change
    const kept = large.tasks.get(change.index)
    const row = { taskId: taskId(run, change), unit: run.before.id, input, output: kept?.stored ? null : output }
    if (kept) rows.largePayloads.push({ ...row, artifactId: kept.artifact.id, artifactSize: kept.artifact.size })
    else rows.payloads.push(row)
  }
  const { id } = run.before
  const output = run.decision.effects.run?.output ?? null
  if (large.run) {
    const { id: artifactId, size: artifactSize } = large.run
    rows.largePayloads.push({ taskId: id, unit: id, input: null, output, artifactId, artifactSize })
  }
}

function addQueue(rows: BatchRows, run: DecidedRun): void {
  const { state, effects } = run.decision
  for (const index of queuedIndices(run)) {
    const plan = run.plan.tasks[index]
    const task = state.tasks[index]
    if (!plan || !task) continue
    rows.queued.push({
      taskId: task.id,
      runId: state.id,
      projectId: state.projectId,
      queue: plan.queue,
      uses: plan.uses,
      priority: plan.priority ?? state.priority,
      part: run.limited.has(index) ? QueuePart.limited : QueuePart.plain,
    })
  }
  for (const change of effects.tasks) {
    if (!change.limits || change.status !== 'queued') continue
    rows.taskLimits.push({ taskId: taskId(run, change), unit: state.id, limits: JSON.stringify(change.limits) })
  }
  for (const index of effects.unqueued) {
    const task = state.tasks[index]
    if (task) rows.dequeued.push({ taskId: task.id, unit: state.id })
  }
}

function addAdmission(rows: BatchRows, run: DecidedRun): void {
  const { state, effects } = run.decision
  const { entering, leaving } = effects.admissionChange
  if (leaving) rows.droppedAdmissions.push({ runId: state.id })
  if (!entering) return
  const { key, limit: runLimit, onLimit } = entering
  const { id: runId, projectId, priority } = state
  rows.newAdmissions.push({ runId, projectId, key, runLimit, onLimit, priority })
}

function addTimers(rows: BatchRows, run: DecidedRun): void {
  const { state, effects } = run.decision
  for (const timer of effects.newTimers) {
    const task = timer.taskIndex === null ? undefined : state.tasks[timer.taskIndex]
    const { kind, delayMs } = timer
    rows.newTimers.push({ unit: state.id, runId: state.id, taskId: task?.id ?? null, kind, delayMs })
  }
  for (const id of effects.firedTimers) rows.firedTimers.push({ id, unit: state.id })
  for (const id of effects.readInbox) rows.readInbox.push({ id, runId: state.id })
  for (const { index, keepTotal } of effects.taskTimersDropped) {
    const task = state.tasks[index]
    if (task) rows.droppedTimers.push({ unit: state.id, taskId: task.id, runId: state.id, keepTotal })
  }
  for (const signal of effects.keptSignals) rows.keptSignals.push({ ...signal, runId: state.id })
  for (const id of effects.takenSignals) rows.takenSignals.push({ id, runId: state.id })
}

/** Children, and what is owed to them and to the parent. */
function addChildRuns(rows: BatchRows, run: DecidedRun, env: Environment): void {
  const { state, effects } = run.decision
  for (const { index, runId: childRunId } of effects.children) {
    const task = state.tasks[index]
    if (task) rows.childRuns.push({ taskId: task.id, runId: state.id, childRunId })
  }
  for (const { toRunId, command, dedupeKey } of messagesOf(run, env)) {
    rows.messages.push({ runId: state.id, toRunId, command: JSON.stringify(command), dedupeKey })
  }
}
