import { v7 as newId } from 'uuid'
import type { WriteRows } from '../db/write-rows.js'
import type { Decision } from '../domain/decide.js'
import type { TaskChange } from '../domain/effects.js'
import type { EnginePlan } from '../domain/engine-plan.js'
import type { Failure } from '../domain/failure.js'
import type { RunState } from '../domain/state.js'
import type { BirthFacts, LaneItem } from './lane-item.js'

/** A lease that a decision's ready task is written with, instead of a place in the queue. */
export interface Grant {
  readonly sessionId: string
  readonly workerId: string
  readonly leaseId: string
}

/** One run's part of a batch: its decision, and who already waits for its ready tasks. */
export interface DecidedRun {
  readonly before: RunState
  readonly decision: Decision
  readonly plan: EnginePlan
  readonly birth: BirthFacts | null
  readonly items: readonly LaneItem[]
  /** By task index. */
  readonly grants: ReadonlyMap<number, Grant>
}

const errorText = (error: Failure | null): string | null => (error === null ? null : JSON.stringify(error))

export function addRows(rows: WriteRows, run: DecidedRun): void {
  if (run.birth) addBirth(rows, run, run.birth)
  else addChange(rows, run)
  addPayloads(rows, run)
  addQueue(rows, run)
  addTimers(rows, run)
  addEvents(rows, run)
}

function addBirth(rows: WriteRows, run: DecidedRun, birth: BirthFacts): void {
  const { state, effects } = run.decision
  rows.births.push({
    id: birth.runId,
    projectId: birth.projectId,
    workflowId: birth.workflowId,
    workflow: birth.workflow,
    version: birth.version,
    versionId: birth.versionId,
    status: state.status,
    reason: state.reason,
    priority: birth.priority,
    labels: JSON.stringify(birth.labels),
    requestedBy: birth.requestedBy,
    traceparent: birth.traceparent,
    input: birth.input,
    output: effects.run?.output ?? null,
    error: errorText(effects.run?.error ?? null),
    createdAt: birth.createdAt,
    started: effects.run?.started ?? false,
    ended: effects.run?.ended ?? false,
  })
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

function addChange(rows: WriteRows, run: DecidedRun): void {
  const { before, decision } = run
  const change = decision.effects.run
  rows.changes.push({
    runId: before.id,
    expectedRev: before.rev,
    status: decision.state.status,
    reason: decision.state.reason,
    setOutput: change?.output !== undefined,
    output: change?.output ?? null,
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
      runId: before.id,
      status: grant ? 'running' : task.status,
      attempt: task.attempt,
      maxAttempts: task.maxAttempts,
      error: errorText(task.error),
      attemptFailed: task.attemptFailed ?? false,
      fence: task.fence ?? false,
      leaseId: grant?.leaseId ?? null,
      sessionId: grant?.sessionId ?? null,
      workerId: grant?.workerId ?? null,
    })
  }
}

function taskId(run: DecidedRun, change: TaskChange): string {
  const task = run.decision.state.tasks[change.index]
  if (!task) throw new Error(`run ${run.before.id} has no task ${change.index}`)
  return task.id
}

function addPayloads(rows: WriteRows, run: DecidedRun): void {
  for (const change of run.decision.effects.tasks) {
    if (change.input === undefined && (change.output === undefined || change.output === null)) continue
    rows.payloads.push({
      taskId: taskId(run, change),
      runId: run.before.id,
      input: change.input ?? null,
      output: change.output ?? null,
    })
  }
}

function addQueue(rows: WriteRows, run: DecidedRun): void {
  const { state, effects } = run.decision
  const ready = effects.tasks.filter(({ status, index }) => status === 'queued' && !run.grants.has(index))
  // A paused run's ready tasks wait outside the queue.
  const entering = state.status === 'paused' ? [] : [...ready.map(({ index }) => index), ...effects.requeued]
  for (const index of entering) {
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
    })
  }
  for (const index of effects.unqueued) {
    const task = state.tasks[index]
    if (task) rows.unqueued.push({ taskId: task.id, runId: state.id })
  }
}

function addTimers(rows: WriteRows, run: DecidedRun): void {
  const { state, effects } = run.decision
  for (const timer of effects.newTimers) {
    const task = timer.taskIndex === null ? undefined : state.tasks[timer.taskIndex]
    rows.newTimers.push({ runId: state.id, taskId: task?.id ?? null, kind: timer.kind, delayMs: timer.delayMs })
  }
  for (const id of effects.firedTimers) rows.firedTimers.push({ id, runId: state.id })
  for (const id of effects.readInbox) rows.readInbox.push({ id, runId: state.id })
  for (const index of effects.taskTimersDropped) {
    const task = state.tasks[index]
    if (task) rows.droppedTimers.push({ taskId: task.id, runId: state.id })
  }
  for (const signal of effects.keptSignals) rows.keptSignals.push({ ...signal, runId: state.id })
  for (const id of effects.takenSignals) rows.takenSignals.push({ id, runId: state.id })
}

function addEvents(rows: WriteRows, run: DecidedRun): void {
  const { state } = run.decision
  const push = (topic: string, task: string | null, data: object, source = 'scheduler', withTimes = false) =>
    rows.events.push({
      position: rows.events.length,
      runId: state.id,
      taskId: task,
      topic,
      source,
      traceparent: state.traceparent,
      data: JSON.stringify(data),
      withTimes,
    })
  for (const item of run.items) addClaim(run, item, push)
  for (const change of run.decision.effects.tasks) push('task.updated', taskId(run, change), taskUpdated(run, change))
  for (const index of run.decision.effects.deadLetters) addDeadLetter(rows, run, index, push)
  for (const approval of run.decision.effects.approvals) addApproval(run, approval, push)
  addRunEvents(run, push)
}

type Push = (topic: string, task: string | null, data: object, source?: string, withTimes?: boolean) => void

/** The worker's own words, put into the log in its name. */
function addClaim(run: DecidedRun, item: LaneItem, push: Push): void {
  const { command, report } = item
  if (!report || (command.kind !== 'succeed' && command.kind !== 'fail')) return
  const index = run.before.indexById.get(command.taskId)
  if (index === undefined) return
  const claim = {
    taskId: command.taskId,
    runId: run.before.id,
    projectId: run.before.projectId,
    token: command.lease.token,
    leaseId: command.lease.leaseId,
    sessionId: report.sessionId,
    durationMs: report.durationMs,
    attempt: run.before.tasks[index]?.attempt ?? 0,
  }
  const source = `worker:${report.workerId}`
  if (command.kind === 'succeed')
    push('task.completed', command.taskId, { ...claim, outputJson: command.output ?? '' }, source)
  else push('task.failed', command.taskId, { ...claim, error: command.error }, source)
}

function taskFacts(run: DecidedRun, index: number) {
  const { state } = run.decision
  return {
    taskId: state.tasks[index]?.id,
    runId: state.id,
    projectId: state.projectId,
    workflow: state.workflow,
    version: state.version,
    key: run.plan.tasks[index]?.key,
    index: -1,
  }
}

function taskUpdated(run: DecidedRun, change: TaskChange): object {
  const plan = run.plan.tasks[change.index]
  const grant = run.grants.get(change.index)
  return {
    ...taskFacts(run, change.index),
    uses: plan?.uses,
    queue: plan?.queue,
    status: grant ? 'running' : change.status,
    attempt: change.attempt,
    maxAttempts: change.maxAttempts,
    ...(grant ? { workerId: grant.workerId } : {}),
    ...(change.error ? { error: change.error } : {}),
  }
}

function addDeadLetter(rows: WriteRows, run: DecidedRun, index: number, push: Push): void {
  const { tasks, id: runId, projectId, labels } = run.decision.state
  const task = tasks[index]
  if (!task?.error) return
  const error = JSON.stringify(task.error)
  rows.letters.push({ id: newId(), runId, taskId: task.id, projectId, class: task.error.class, error })
  push('task.dead-lettered', task.id, { ...taskFacts(run, index), attempt: task.attempt, error: task.error, labels })
}

/** The role that may decide, unless the task says otherwise. */
export const DEFAULT_APPROVER = 'operator'

export function approvalTerms(input: string): { role: string; message: string } {
  const { role, message } = (JSON.parse(input) ?? {}) as { role?: unknown; message?: unknown }
  return {
    role: typeof role === 'string' ? role : DEFAULT_APPROVER,
    message: typeof message === 'string' ? message : '',
  }
}

function addApproval(run: DecidedRun, approval: { index: number; input: string }, push: Push): void {
  const facts = taskFacts(run, approval.index)
  const { labels } = run.decision.state
  push('approval.requested', facts.taskId ?? null, { ...facts, ...approvalTerms(approval.input), labels })
}

function addRunEvents(run: DecidedRun, push: Push): void {
  const { state, effects } = run.decision
  if (!effects.run) return
  const facts = {
    runId: state.id,
    projectId: state.projectId,
    workflow: state.workflow,
    version: state.version,
    status: state.status,
    reason: state.reason ?? '',
    generation: state.generation,
  }
  push('workflow.updated', null, facts)
  if (!effects.run.ended) return
  const completed = {
    ...facts,
    outputJson: effects.run.output ?? '',
    ...(effects.run.error ? { error: effects.run.error } : {}),
    labels: state.labels,
    createdAt: state.createdAt,
  }
  push('workflow.completed', null, completed, 'scheduler', true)
}
