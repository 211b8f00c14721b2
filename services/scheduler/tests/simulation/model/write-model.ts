import type { BatchRow, BatchRows } from '../../../src/db/batch/clauses.js'
import type { WriteResult } from '../../../src/db/batch/write-batch.js'
import type { DequeueRequest } from '../../../src/domain/queue.js'
import type { RunStatus } from '../../../src/domain/run-state.js'
import { type TaskStatus, taskHasEnded } from '../../../src/domain/task-state.js'
import { followItems, itemWins } from './item-write-model.js'
import { deadlineOf, lease, picked, turn } from './lease-model.js'
import { copyItems, dropAdmissions, writeMaps } from './map-write-model.js'
import { writePlain } from './plain-model.js'
import { enqueuePlace } from './queue-model.js'
import { sliceWins } from './slice-write-model.js'
import { freeHolds } from './slot-model.js'
import type { Statement } from './statement.js'
import type { RunTuple, TaskTuple } from './tables.js'

/** What each part of the statement joins: the units that won, the runs among them, and the tasks that were written. */
interface Applied {
  readonly units: Map<string, RunTuple | null>
  readonly runs: Map<string, RunTuple>
  readonly touched: Map<string, TaskTuple>
}

/**
 * The batch statement. Parts do not see each other's writes, so what deletes goes before what inserts; what picks looks
 * before either.
 */
export function writeBatch(s: Statement, rows: BatchRows, dequeue: DequeueRequest): WriteResult {
  const places = picked(s, turn(s, dequeue))
  const won = rows.runChanges.filter((change) => wins(s, change, rows))
  const wonItems = rows.itemChanges.filter((change) => itemWins(s, change, rows))
  const wonSlices = rows.slices.filter((slice) => sliceWins(s, slice))
  const applied: Applied = { units: new Map(), runs: new Map(), touched: new Map() }
  const created = createRun(s, rows, applied)
  for (const change of won) changeRun(s, change, applied)
  const withInbox = rows.newRuns.length > 0 ? waitingFor(s, applied) : []
  for (const task of rows.newTasks) if (created.has(task.runId)) insertTask(s, task, applied)
  for (const [id, run] of applied.runs) applied.units.set(id, run)
  for (const { id } of wonItems) applied.units.set(id, null)
  for (const { unit } of wonSlices) applied.units.set(unit, null)
  const mine = rows.taskChanges.filter(({ unit }) => applied.units.has(unit))
  for (const change of mine) changeTask(s, change, releases(rows), applied)
  const changed = mine.map(({ id }) => id)
  writePlain(s, rows, applied.units, 'deletes')
  for (const { id } of rows.spentTimers) if (s.reach('timers', id)) s.live.remove('timers', id)
  dropTimers(s, rows, won, applied)
  const givenBack = dropAdmissions(s, rows, applied.runs)
  writeMaps(s, rows, applied.runs)
  writePlain(s, rows, applied.units, 'inserts')
  addPayloads(s, rows, applied)
  copyItems(s, rows, applied.runs)
  for (const event of rows.events) tell(s, event, applied)
  const groups = followItems(s, rows, wonItems, wonSlices)
  const freed = [...(releases(rows) ? freeHolds(s, changed) : []), ...givenBack]
  const leased = lease(s, dequeue, places)
  return {
    won: new Map([...applied.units].map(([id, run]) => [id, run?.rev ?? 0])),
    ...groups,
    withInbox,
    tokens: new Map(granted(rows).flatMap((id) => [...tokenOf(applied.touched.get(id))])),
    leased,
    freed,
  }
}

const granted = (rows: BatchRows): string[] =>
  [...rows.newTasks, ...rows.taskChanges].filter(({ leaseId }) => leaseId !== null).map(({ id }) => id)

const tokenOf = (task: TaskTuple | undefined): [string, number][] => (task ? [[task.id, task.token]] : [])

export const releases = (rows: BatchRows): boolean => rows.taskChanges.some(({ mayHoldSlots }) => mayHoldSlots)

export function wins(s: Statement, change: BatchRow<'runChanges'>, rows: BatchRows): boolean {
  if (s.reach('runs', change.runId)?.rev !== change.expectedRev) return false
  if (rows.firedTimers.some(({ id, unit }) => unit === change.runId && !s.seen.get('timers', id))) return false
  return rows.guards
    .filter(({ runId }) => runId === change.runId)
    .every(({ taskId, token, leaseId, sessionId }) => {
      const task = s.reach('tasks', taskId)
      if (task?.status !== 'running' || task.token !== token || task.lease_id !== leaseId) return false
      // Nobody knew that there is something to give back: decided again, on the path that reads it.
      if (task.holds_slots && !releases(rows)) return false
      return sessionId === null || task.session_id === sessionId
    })
}

function waitingFor(s: Statement, applied: Applied): string[] {
  const waiting = new Set([...s.seen.all('run_inbox')].map((row) => row.run_id))
  return [...applied.runs.keys()].filter((id) => waiting.has(id))
}

function createRun(s: Statement, rows: BatchRows, applied: Applied): Set<string> {
  const created = new Set<string>()
  for (const newRun of rows.newRuns) {
    if (s.live.get('runs', newRun.id)) continue
    const run: RunTuple = {
      id: newRun.id,
      project_id: newRun.projectId,
      workflow_id: newRun.workflowId,
      workflow: newRun.workflow,
      version: newRun.version,
      version_id: newRun.versionId,
      status: newRun.status as RunStatus,
      reason: newRun.reason,
      rev: 1,
      generation: 1,
      priority: newRun.priority,
      labels: newRun.labels,
      requested_by: newRun.requestedBy,
      traceparent: newRun.traceparent,
      origin: newRun.origin,
      queue_defaults: newRun.queueDefaults,
      input: newRun.input,
      output: newRun.output,
      error: newRun.error,
      created_at: Date.parse(newRun.createdAt),
      started_at: newRun.started ? s.now : null,
      finished_at: newRun.ended ? s.now : null,
    }
    s.live.put('runs', run.id, run)
    applied.runs.set(run.id, run)
    created.add(run.id)
  }
  return created
}

function changeRun(s: Statement, change: BatchRow<'runChanges'>, applied: Applied): void {
  const run = s.live.get('runs', change.runId)
  if (!run) return
  const next: RunTuple = {
    ...run,
    rev: run.rev + 1,
    status: change.status as RunStatus,
    reason: change.reason,
    output: change.setOutput ? change.output : run.output,
    error: change.setError ? change.error : run.error,
    generation: run.generation + (change.reopened ? 1 : 0),
    started_at: change.started ? s.now : run.started_at,
    finished_at: change.ended ? s.now : change.reopened ? null : run.finished_at,
  }
  s.live.put('runs', run.id, next)
  applied.runs.set(run.id, next)
}

const isLive = (status: string): boolean => status === 'queued' || status === 'running'

function insertTask(s: Statement, row: BatchRow<'newTasks'>, applied: Applied): void {
  const status = row.status as TaskStatus
  const task: TaskTuple = {
    id: row.id,
    run_id: row.runId,
    project_id: row.projectId,
    ordinal: row.ordinal,
    key: row.key,
    idx: -1,
    name: row.name,
    uses: row.uses,
    queue: row.queue,
    priority: row.priority,
    status,
    rev: 1,
    attempt: row.attempt,
    max_attempts: row.maxAttempts,
    timeout_ms: row.timeoutMs,
    losses: 0,
    holds_slots: false,
    token: row.leaseId === null ? 0 : 1,
    lease_id: row.leaseId,
    session_id: row.sessionId,
    worker_id: row.workerId,
    deadline_at: status === 'running' ? deadlineOf(s.now, row.timeoutMs) : null,
    error: row.error,
    queued_at: isLive(status) ? s.now : null,
    started_at: status === 'running' ? s.now : null,
    finished_at: taskHasEnded(status) ? s.now : null,
  }
  s.live.put('tasks', task.id, task)
  applied.touched.set(task.id, task)
}

function changeTask(s: Statement, change: BatchRow<'taskChanges'>, frees: boolean, applied: Applied): void {
  const task = s.reach('tasks', change.id)
  if (!task) return
  const status = change.status as TaskStatus
  const next: TaskTuple = {
    ...task,
    status,
    rev: task.rev + 1,
    attempt: change.attempt ?? task.attempt,
    max_attempts: change.maxAttempts ?? task.max_attempts,
    error: change.error,
    token: task.token + (change.fence || change.leaseId !== null ? 1 : 0),
    lease_id: change.fence ? null : (change.leaseId ?? task.lease_id),
    session_id: change.sessionId ?? task.session_id,
    worker_id: change.workerId ?? task.worker_id,
    losses: isLive(status) ? 0 : task.losses,
    queued_at: isLive(status) ? s.now : task.queued_at,
    started_at: status === 'running' ? s.now : ['queued', 'waiting'].includes(status) ? null : task.started_at,
    deadline_at: status === 'running' ? deadlineOf(s.now, task.timeout_ms) : null,
    finished_at: taskHasEnded(status) ? s.now : null,
    holds_slots: task.holds_slots && !frees,
  }
  s.live.put('tasks', task.id, next)
  applied.touched.set(task.id, next)
  if (!change.attemptFailed) return
  const { id: task_id, attempt, worker_id } = next
  s.live.put('attempt_failures', `${task_id}/${attempt}`, {
    task_id,
    attempt,
    at: s.now,
    worker_id,
    error: change.error ?? 'null',
  })
}

function dropTimers(s: Statement, rows: BatchRows, won: readonly BatchRow<'runChanges'>[], applied: Applied): void {
  const drop = (condition: (timer: { run_id: string; task_id: string | null; kind: string }) => boolean) => {
    for (const { id } of s.reachAll('timers', condition, (timer) => timer.id)) s.live.remove('timers', id)
  }
  for (const { id, unit } of rows.firedTimers) {
    if (applied.units.has(unit) && s.reach('timers', id)) s.live.remove('timers', id)
  }
  if (rows.runChanges.some(({ ended }) => ended)) {
    drop((timer) => (applied.runs.get(timer.run_id)?.finished_at ?? null) !== null)
  }
  for (const { runId, dropRetries } of won) {
    if (dropRetries) drop((timer) => timer.run_id === runId && timer.kind === 'retry')
  }
  for (const { taskId, unit, keepTotal } of rows.droppedTimers) {
    if (!applied.units.has(unit)) continue
    drop((timer) => timer.task_id === taskId && !(keepTotal && timer.kind === 'total-timeout'))
  }
}

function addPayloads(s: Statement, rows: BatchRows, applied: Applied): void {
  const won = <T extends { runId: string }>(some: readonly T[]) => some.filter(({ runId }) => applied.runs.has(runId))
  for (const { taskId: task_id, input, output } of rows.payloads.filter(({ unit }) => applied.units.has(unit))) {
    const before = s.live.get('task_payloads', task_id)
    s.live.put('task_payloads', task_id, {
      task_id,
      input: input ?? before?.input ?? null,
      output: output ?? before?.output ?? null,
      artifact_id: before?.artifact_id ?? null,
      artifact_size: before?.artifact_size ?? null,
    })
  }
  for (const row of rows.largePayloads.filter(({ unit }) => applied.units.has(unit))) {
    const { taskId: task_id, output, artifactId: artifact_id, artifactSize: artifact_size } = row
    const input = row.input ?? s.live.get('task_payloads', task_id)?.input ?? null
    s.live.put('task_payloads', task_id, { task_id, input, output, artifact_id, artifact_size })
  }
  for (const { taskId: task_id, runId: run_id, projectId: project_id, ...place } of won(rows.queued)) {
    enqueuePlace(s, { task_id, run_id, project_id, ...place, child: false })
  }
  for (const { taskId: task_id, fromTaskId } of won(rows.payloadCopies)) {
    const from = s.seen.get('task_payloads', fromTaskId)
    if (from && !s.live.get('task_payloads', task_id)) s.live.put('task_payloads', task_id, { ...from, task_id })
  }
}

const isoTime = (ms: number | null): string => (ms === null ? '' : new Date(Math.trunc(ms)).toISOString())

function tell(s: Statement, event: BatchRow<'events'>, applied: Applied): void {
  const run = applied.runs.get(event.runId)
  if (!run) return
  const task = event.taskId === null ? undefined : applied.touched.get(event.taskId)
  const data = JSON.parse(event.data) as Record<string, unknown>
  const times = event.withTimes
    ? { startedAt: isoTime(run.started_at), finishedAt: isoTime(run.finished_at) }
    : undefined
  const id = s.live.next('events')
  s.live.put('events', id, {
    id,
    topic: event.topic,
    key: event.runId,
    subject: event.taskId ?? event.runId,
    source: event.source,
    time: s.now,
    sequence: task?.rev ?? run.rev,
    traceparent: event.traceparent,
    data: { ...data, ...times },
  })
}
