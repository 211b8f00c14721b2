import { type Pick, QueuePart } from '../../../src/db/lease-fragment.js'
import type { WriteResult } from '../../../src/db/write-batch.js'
import type {
  EventRow,
  NewTaskRow,
  QueuedRow,
  RunChangeRow,
  TaskChangeRow,
  WriteRows,
} from '../../../src/db/write-rows.js'
import type { RunStatus } from '../../../src/domain/run-state.js'
import { type TaskStatus, taskHasEnded } from '../../../src/domain/task-state.js'
import { putInInbox } from './inbox-model.js'
import { deadlineOf, lease, picked, turn } from './lease-model.js'
import { writeLine, writeMaps } from './map-write-model.js'
import { enqueuePlace } from './queue-model.js'
import { freeHolds } from './slot-model.js'
import { micro, type Statement } from './statement.js'
import type { RunTuple, TaskTuple } from './tables.js'

/** What each part of the statement joins: the runs that were born or won, and the tasks that were written. */
interface Applied {
  readonly runs: Map<string, RunTuple>
  readonly touched: Map<string, TaskTuple>
}

/**
 * The batch statement. Parts do not see each other's writes, so what deletes goes before what inserts; what picks looks
 * before either.
 */
export function writeBatch(s: Statement, rows: WriteRows, pick: Pick): WriteResult {
  const places = picked(s, turn(s, pick))
  const won = rows.changes.filter((change) => wins(s, change, rows))
  const applied: Applied = { runs: new Map(), touched: new Map() }
  const born = bear(s, rows, applied)
  for (const change of won) changeRun(s, change, applied)
  const withInbox = rows.births.length > 0 ? waitingFor(s, applied) : []
  for (const task of rows.newTasks) if (born.has(task.runId)) insertTask(s, task, applied)
  const mine = rows.taskChanges.filter((change) => won.some(({ runId }) => runId === change.runId))
  for (const change of mine) changeTask(s, change, releases(rows), applied)
  const changed = mine.map(({ id }) => id)
  dropRows(s, rows, won, applied)
  writeMaps(s, rows, applied.runs)
  addRows(s, rows, applied)
  addFamily(s, rows, applied)
  for (const event of rows.events) tell(s, event, applied)
  const freed = [...(releases(rows) ? freeHolds(s, changed) : []), ...writeLine(s, rows, applied.runs)]
  const leased = lease(s, pick, places)
  return {
    runs: new Map([...applied.runs].map(([id, run]) => [id, run.rev])),
    withInbox,
    tokens: new Map([...applied.touched].map(([id, task]) => [id, task.token])),
    leased,
    freed,
  }
}

const releases = (rows: WriteRows): boolean => rows.taskChanges.some(({ mayHoldSlots }) => mayHoldSlots)

export function wins(s: Statement, change: RunChangeRow, rows: WriteRows): boolean {
  if (s.reach('runs', change.runId)?.rev !== change.expectedRev) return false
  if (rows.firedTimers.some(({ id, runId }) => runId === change.runId && !s.seen.get('timers', id))) return false
  return rows.guards
    .filter(({ runId }) => runId === change.runId)
    .every(({ taskId, token, leaseId, sessionId }) => {
      const task = s.reach('tasks', taskId)
      if (task?.status !== 'running' || task.token !== token || task.lease_id !== leaseId) return false
      // Nobody knew that there is something to give back: decided again, on the road that reads it.
      if (task.holds_slots && !releases(rows)) return false
      return sessionId === null || task.session_id === sessionId
    })
}

function waitingFor(s: Statement, applied: Applied): string[] {
  const waiting = new Set([...s.seen.all('run_inbox')].map((row) => row.run_id))
  return [...applied.runs.keys()].filter((id) => waiting.has(id))
}

function bear(s: Statement, rows: WriteRows, applied: Applied): Set<string> {
  const born = new Set<string>()
  for (const birth of rows.births) {
    if (s.live.get('runs', birth.id)) continue
    const run: RunTuple = {
      id: birth.id,
      project_id: birth.projectId,
      workflow_id: birth.workflowId,
      workflow: birth.workflow,
      version: birth.version,
      version_id: birth.versionId,
      status: birth.status as RunStatus,
      reason: birth.reason,
      rev: 1,
      generation: 1,
      priority: birth.priority,
      labels: birth.labels,
      requested_by: birth.requestedBy,
      traceparent: birth.traceparent,
      origin: birth.origin,
      queue_defaults: birth.queueDefaults,
      input: birth.input,
      output: birth.output,
      output_artifact_id: null,
      output_artifact_size: null,
      error: birth.error,
      created_at: Date.parse(birth.createdAt),
      started_at: birth.started ? s.now : null,
      finished_at: birth.ended ? s.now : null,
    }
    s.live.put('runs', run.id, run)
    applied.runs.set(run.id, run)
    born.add(run.id)
  }
  return born
}

function changeRun(s: Statement, change: RunChangeRow, applied: Applied): void {
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

function insertTask(s: Statement, row: NewTaskRow, applied: Applied): void {
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

function changeTask(s: Statement, change: TaskChangeRow, frees: boolean, applied: Applied): void {
  const task = s.reach('tasks', change.id)
  if (!task) return
  const status = change.status as TaskStatus
  const next: TaskTuple = {
    ...task,
    status,
    rev: task.rev + 1,
    attempt: change.attempt,
    max_attempts: change.maxAttempts,
    error: change.error,
    token: task.token + (change.fence || change.leaseId !== null ? 1 : 0),
    lease_id: change.fence ? null : (change.leaseId ?? task.lease_id),
    session_id: change.sessionId ?? task.session_id,
    worker_id: change.workerId ?? task.worker_id,
    losses: isLive(status) ? 0 : task.losses,
    queued_at: isLive(status) ? s.now : task.queued_at,
    started_at: status === 'running' ? s.now : status === 'queued' ? null : task.started_at,
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

function dropRows(s: Statement, rows: WriteRows, won: readonly RunChangeRow[], applied: Applied): void {
  const finished = (runId: string): boolean => (applied.runs.get(runId)?.finished_at ?? null) !== null
  const suspended = rows.changes.some(({ dropRetries }) => dropRetries)
  for (const { taskId, runId } of rows.unqueued) if (applied.runs.has(runId)) s.live.remove('task_queue', taskId)
  for (const { id, runId } of rows.firedTimers) {
    const timer = s.reach('timers', id)
    if (!timer || !applied.runs.has(runId) || finished(runId) || (suspended && timer.kind === 'retry')) continue
    s.live.remove('timers', id)
  }
  const dropTimers = (condition: (timer: { run_id: string; task_id: string | null; kind: string }) => boolean) => {
    for (const { id } of s.reachAll('timers', condition, (timer) => timer.id)) s.live.remove('timers', id)
  }
  if (rows.changes.some(({ ended }) => ended)) dropTimers((timer) => finished(timer.run_id))
  for (const { runId, dropRetries, ended } of won) {
    if (dropRetries && !ended) dropTimers((timer) => timer.run_id === runId && timer.kind === 'retry')
  }
  for (const { taskId, runId, keepTotal } of rows.droppedTimers) {
    if (!applied.runs.has(runId) || finished(runId)) continue
    dropTimers(
      (timer) =>
        timer.task_id === taskId &&
        !(suspended && timer.kind === 'retry') &&
        !(keepTotal && timer.kind === 'total-timeout'),
    )
  }
  for (const { id, runId } of rows.takenSignals) {
    if (applied.runs.has(runId) && s.reach('run_signals', id)) s.live.remove('run_signals', id)
  }
  for (const { id, runId } of rows.readInbox) if (applied.runs.has(runId)) s.live.remove('run_inbox', id)
}

function addRows(s: Statement, rows: WriteRows, applied: Applied): void {
  const won = <T extends { runId: string }>(some: readonly T[]) => some.filter(({ runId }) => applied.runs.has(runId))
  for (const { id, projectId, runId, taskId, class: errorClass, error } of won(rows.letters)) {
    const letter = { id, project_id: projectId, run_id: runId, task_id: taskId, class: errorClass, error }
    s.live.put('dead_letters', id, { ...letter, state: 'open', at: s.now })
  }
  for (const { taskId: task_id, input, output } of won(rows.payloads)) {
    const before = s.live.get('task_payloads', task_id)
    s.live.put('task_payloads', task_id, {
      task_id,
      input: input ?? before?.input ?? null,
      output: output ?? before?.output ?? null,
      artifact_id: before?.artifact_id ?? null,
      artifact_size: before?.artifact_size ?? null,
    })
  }
  const enqueueAll = (some: readonly QueuedRow[], part: number) => {
    for (const { taskId: task_id, runId: run_id, projectId: project_id, queue, uses, priority } of won(some)) {
      enqueuePlace(s, { task_id, run_id, project_id, queue, uses, priority, part, child: false })
    }
  }
  enqueueAll(rows.queued, QueuePart.plain)
  enqueueAll(rows.queuedLimited, QueuePart.limited)
  for (const { taskId: task_id, limits } of won(rows.taskLimits))
    s.live.put('task_limits', task_id, { task_id, limits })
  for (const { runId: run_id, taskId: task_id, kind, delayMs } of won(rows.newTimers)) {
    const id = s.live.next('timers')
    s.live.put('timers', id, { id, run_id, task_id, kind, due_at: micro(s.now + delayMs), tries: 0 })
  }
  for (const { id, runId: run_id, name, payload } of won(rows.keptSignals)) {
    const position = s.live.next('run_signals')
    if (!s.live.get('run_signals', id)) s.live.put('run_signals', id, { id, run_id, name, payload, position })
  }
}

/** What runs have to do with each other. */
function addFamily(s: Statement, rows: WriteRows, applied: Applied): void {
  const won = <T extends { runId: string }>(some: readonly T[]) => some.filter(({ runId }) => applied.runs.has(runId))
  for (const { taskId: task_id, childRunId: run_id } of won(rows.children)) {
    s.live.put('child_runs', task_id, { task_id, run_id })
  }
  for (const { toRunId, command, dedupeKey } of won(rows.messages)) {
    putInInbox(s, toRunId, JSON.parse(command), dedupeKey)
  }
  for (const { taskId: task_id, fromTaskId } of won(rows.copies)) {
    const from = s.seen.get('task_payloads', fromTaskId)
    if (from && !s.live.get('task_payloads', task_id)) s.live.put('task_payloads', task_id, { ...from, task_id })
  }
}

const isoTime = (ms: number | null): string => (ms === null ? '' : new Date(Math.trunc(ms)).toISOString())

function tell(s: Statement, event: EventRow, applied: Applied): void {
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
