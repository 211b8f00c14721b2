import type { BatchRows } from '../../../src/db/batch/clauses.js'
import type { LeaseRow, PayloadRow, RunRow, TaskRow } from '../../../src/db/load-runs.js'
import type { InboxRow } from '../../../src/db/run-inbox.js'
import type { TimerRow } from '../../../src/db/timers.js'
import type { KeptSignal } from '../../../src/domain/effects.js'
import { noDequeue } from '../../../src/domain/queue.js'
import type { Store } from '../../../src/engine/store.js'
import { admitRuns, findWaitingRuns, loadAdmission } from './admission-model.js'
import { claimChildRequest, postponeChildRequest } from './child-model.js'
import { findDueWork } from './due-work-model.js'
import { forgetInbox, inbox, putInInbox } from './inbox-model.js'
import { findExpiredTasks, handBackTasks, leaseTasks, releaseDeferred, requeueLostTasks } from './lease-model.js'
import { leaseLimited, reconcileSlots, unpark, unparkAll } from './limit-model.js'
import {
  findMapWork,
  findUncountedMaps,
  loadItemEnds,
  loadItems,
  loadItemsBetween,
  loadMapEnd,
  loadMapItems,
  loadOpenItems,
  recountMap,
} from './map-model.js'
import { countOverdue, findStuckRuns, removeDeadQueueRows, restoreLostQueueRows } from './reconcile-model.js'
import {
  endSession,
  extendSession,
  findCancelledLeases,
  findSession,
  insertSession,
  listHeld,
  readControl,
  recordLiveness,
  setSessionState,
} from './session-model.js'
import { alignQueues, setQueue } from './settings-model.js'
import { micro, type Statement } from './statement.js'
import type { RunTuple, TaskTuple } from './tables.js'
import { writeBatch } from './write-model.js'

const parse = (text: string | null): unknown => (text === null ? null : JSON.parse(text))

const toRunRow = (run: RunTuple): RunRow => ({
  id: run.id,
  project_id: run.project_id,
  workflow: run.workflow,
  version: run.version,
  version_id: run.version_id,
  status: run.status,
  reason: run.reason,
  rev: run.rev,
  generation: run.generation,
  priority: run.priority,
  labels: JSON.parse(run.labels),
  requested_by: run.requested_by,
  traceparent: run.traceparent,
  queue_defaults: run.queue_defaults,
  origin: parse(run.origin) as RunRow['origin'],
  input: parse(run.input),
  created_at: new Date(run.created_at),
  started_at: run.started_at === null ? null : new Date(run.started_at),
})

const toTaskRow = (task: TaskTuple): TaskRow => ({
  id: task.id,
  run_id: task.run_id,
  ordinal: task.ordinal,
  status: task.status,
  attempt: task.attempt,
  max_attempts: task.max_attempts,
  error: parse(task.error) as TaskRow['error'],
  token: task.token,
  lease_id: task.lease_id,
  session_id: task.session_id,
  holds_slots: task.holds_slots,
})

const loadTaskRows = (s: Statement, runIds: readonly string[]): TaskRow[] =>
  [...s.seen.all('tasks')]
    .filter((task) => runIds.includes(task.run_id) && task.idx === -1)
    .sort((a, b) => (a.run_id < b.run_id ? -1 : a.run_id > b.run_id ? 1 : a.ordinal - b.ordinal))
    .map(toTaskRow)

function loadPayloads(s: Statement, taskIds: readonly string[]): Map<string, PayloadRow> {
  const rows = [...s.seen.all('task_payloads')].filter((row) => taskIds.includes(row.task_id))
  return new Map(rows.map((row) => [row.task_id, { ...row, output: parse(row.output) }]))
}

function loadSignals(s: Statement, runIds: readonly string[]): Map<string, KeptSignal[]> {
  const signals = new Map<string, KeptSignal[]>(runIds.map((runId) => [runId, []]))
  for (const { id, run_id, name, payload } of [...s.seen.all('run_signals')].sort((a, b) => a.position - b.position)) {
    signals.get(run_id)?.push({ id, name, payload })
  }
  return signals
}

function loadLeases(s: Statement, taskIds: readonly string[]): Map<string, LeaseRow> {
  const found = new Map<string, LeaseRow>()
  for (const taskId of taskIds) {
    const task = s.seen.get('tasks', taskId)
    if (!task) continue
    const { id, status, token, lease_id, session_id, holds_slots } = task
    found.set(id, { id, status, token, lease_id, session_id, holds_slots })
  }
  return found
}

const findTimers = (s: Statement, horizonMs: number, limit: number): TimerRow[] =>
  [...s.seen.all('timers')]
    .filter(({ due_at }) => due_at <= micro(s.now + horizonMs))
    .sort((a, b) => a.due_at - b.due_at)
    .slice(0, limit)
    .map(({ id, run_id, task_id, kind, due_at }) => ({
      id,
      run_id,
      task_id,
      kind: kind as TimerRow['kind'],
      in_ms: micro(due_at - s.now),
    }))

function lockRun(s: Statement, runId: string): { run: RunRow; tasks: TaskRow[] } | undefined {
  const run = s.live.get('runs', runId)
  return run && { run: toRunRow(run), tasks: loadTaskRows(s, [runId]) }
}

const findOpenRuns = (s: Statement, runIds: readonly string[]): ReadonlySet<string> =>
  new Set(runIds.filter((id) => s.seen.get('runs', id)?.finished_at === null))

/** What a store does, as functions of a statement. A transaction is made of these by whoever runs them. */
export const operations = {
  loadRunRows: (s: Statement, runIds: readonly string[]): RunRow[] =>
    [...s.seen.all('runs')].filter(({ id }) => runIds.includes(id)).map(toRunRow),
  loadTaskRows,
  loadPayloads,
  loadSignals,
  loadLeases,
  lockRun,
  findOpenRuns,
  writeBatch,
  writeLocked: (s: Statement, rows: BatchRows) => writeBatch(s, rows, noDequeue),
  leaseTasks,
  handBackTasks,
  requeueLostTasks,
  findExpiredTasks,
  insertSession,
  findSession,
  extendSession,
  listHeld,
  recordLiveness,
  readControl,
  findCancelledLeases,
  setSessionState,
  endSession,
  /** Carried to the other replicas by whoever runs it. */
  notifyReplicas: (_s: Statement, _payload: string): void => undefined,
  claimChildRequest,
  postponeChildRequest,
  forgetInbox,
  releaseDeferred,
  leaseLimited,
  unpark,
  unparkAll,
  alignQueues,
  /** Done by a handler, beside the store. */
  setQueue,
  admitRuns,
  findWaitingRuns,
  loadAdmission,
  reconcileSlots,
  removeIdleSlots: (_s: Statement): void => undefined,
  countParked: (s: Statement) => ({
    tasks: [...s.seen.all('task_queue')].filter(({ parked_key }) => parked_key !== null).length,
    runs: [...s.seen.all('run_admissions')].filter(({ state }) => state === 'waiting').length,
  }),
  findMapWork,
  loadMapItems,
  loadItems,
  loadItemsBetween,
  loadOpenItems,
  loadMapEnd,
  loadItemEnds,
  findUncountedMaps,
  recountMap,
  findDueWork,
  findTimers,
  findExistingTimers: (s: Statement, timerIds: readonly number[]): ReadonlySet<number> =>
    new Set(timerIds.filter((id) => s.seen.get('timers', id))),
  deleteTimer: (s: Statement, id: number): void => {
    if (s.reach('timers', id)) s.live.remove('timers', id)
  },
  putInInbox,
  findInbox: (s: Statement, limit: number): InboxRow[] =>
    inbox(s, ({ run_id }) => s.seen.get('runs', run_id) !== undefined).slice(0, limit),
  findInboxOf: (s: Statement, runIds: readonly string[]): InboxRow[] =>
    inbox(s, ({ run_id }) => runIds.includes(run_id)),
  restoreLostQueueRows,
  removeDeadQueueRows,
  findStuckRuns,
  countOverdue,
}

export type OperationName = keyof typeof operations
/** Whatever the engine may ask of its store besides a transaction. */
export type StoreOperation = Exclude<keyof Store, 'transaction'>
