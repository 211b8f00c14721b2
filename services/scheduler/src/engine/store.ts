import type { ChildCall } from '../db/child-calls.js'
import type { ChildRows } from '../db/child-rows.js'
import type { CancelledLease, ControlState } from '../db/control.js'
import type { EndedSlice } from '../db/end-children.js'
import type { LeasedRow, Pick } from '../db/lease-fragment.js'
import type { Admitted } from '../db/limits/admissions.js'
import type { Aligned } from '../db/limits/align-queues.js'
import type { LimitedLeases } from '../db/limits/lease-limited.js'
import type { SlotKey } from '../db/limits/slots.js'
import type { Unparked } from '../db/limits/unpark.js'
import type { LeaseRow, Payloads, RunRow, TaskRow } from '../db/load-runs.js'
import type { ChildSlice, MadeSlice } from '../db/make-children.js'
import type { ChildEndRow, ChildRow, MapEndRow, MapPlace, MapWork } from '../db/map-groups.js'
import type { Overdue } from '../db/reconcile.js'
import type { ExpiredTask, HeldTask, Requeued } from '../db/requeue-tasks.js'
import type { InboxCommand, InboxRow } from '../db/run-inbox.js'
import type { HeldRow, HoldTerms, NewSession, Pulse, SessionRow } from '../db/sessions.js'
import type { TimerRow } from '../db/timers.js'
import type { WriteResult } from '../db/write-batch.js'
import type { ChildWriteResult } from '../db/write-children.js'
import type { WriteRows } from '../db/write-rows.js'
import type { KeptSignal } from '../domain/effects.js'
import type { AdmissionState } from '../domain/state.js'

/** Reads of runs, the same inside a transaction and outside. */
export interface RunReads {
  loadRunRows(runIds: readonly string[]): Promise<RunRow[]>
  loadTaskRows(runIds: readonly string[]): Promise<TaskRow[]>
  loadPayloads(taskIds: readonly string[]): Promise<Payloads>
  loadSignals(runIds: readonly string[]): Promise<Map<string, KeptSignal[]>>
  /** Those of these timers that have not done their work yet, nor were called off. */
  findStandingTimers(timerIds: readonly number[]): Promise<ReadonlySet<number>>
}

/** The cold road: everything between the first lock and the commit. */
export interface RunTransaction extends RunReads {
  loadAdmission(runId: string): Promise<AdmissionState>
  lockRun(runId: string): Promise<{ run: RunRow; tasks: TaskRow[] } | undefined>
  writeBatch(rows: WriteRows): Promise<WriteResult>
}

export interface RunStore extends RunReads {
  loadLeases(taskIds: readonly string[]): Promise<Map<string, LeaseRow>>
  /** The hot road: one statement, one commit. */
  writeBatch(rows: WriteRows, pick: Pick): Promise<WriteResult>
  transaction<T>(work: (tx: RunTransaction) => Promise<T>): Promise<T>
}

export interface LeaseStore {
  leaseTasks(pick: Pick): Promise<LeasedRow[]>
  handBackTasks(held: readonly HeldTask[]): Promise<Requeued>
  requeueLostTasks(limit: number): Promise<Requeued>
  findExpiredTasks(limit: number): Promise<ExpiredTask[]>
  releaseHeldBack(limit: number): Promise<number>
}

/** Limits: how they are counted is told in `db/limits/README.md`. */
export interface LimitStore {
  /** As leaseTasks, from the limited part of the queue too: takes slots, parks what lacks one. */
  leaseLimited(pick: Pick): Promise<LimitedLeases>
  /** Brings tasks in line with limits that their queue got meanwhile. */
  alignQueues(all: boolean, limit: number): Promise<Aligned>
  hasReadyLimited(): Promise<boolean>
  unpark(keys: readonly SlotKey[]): Promise<Unparked>
  unparkAll(after: SlotKey | null): Promise<Unparked>
  /** Lets runs begin under a key of the scope `workflow`; tells who finds a message about it. */
  admitRuns(key: SlotKey): Promise<Admitted>
  findWaitingRuns(after: SlotKey | null): Promise<SlotKey[]>
  /** How many keys and holds were not as they should be, and are now. */
  reconcileSlots(limit: number): Promise<number>
  removeIdleSlots(limit: number): Promise<void>
  countParked(): Promise<{ tasks: number; runs: number }>
}

/** What may be lost in a crash of the database alone (`extendSession`, `beatPulse`) waits for no flush. */
export interface SessionStore {
  insertSession(session: NewSession, leaseMs: number): Promise<void>
  findSession(id: string): Promise<SessionRow | undefined>
  extendSession(id: string, leaseMs: number): Promise<boolean>
  listHeld(sessionId: string): Promise<HeldRow[]>
  beatPulse(gapMs: number, leaseMs: number, hold?: HoldTerms): Promise<Pulse>
}

/** How queues and workers stand. Whatever changes it raises the version by the same commit. */
export interface ControlStore {
  readControl(knownVersion: number): Promise<ControlState | undefined>
  findCancelledLeases(sessionIds: readonly string[], limit: number): Promise<CancelledLease[]>
  setSessionState(sessionId: string, to: 'active' | 'paused' | 'draining'): Promise<boolean>
  endSession(sessionId: string): Promise<void>
  /** A hint for the other replicas: it may be lost, and waits for no flush. */
  notifyReplicas(payload: string): Promise<void>
}

export interface TimerStore {
  findTimers(horizonMs: number, limit: number): Promise<TimerRow[]>
  deleteTimer(id: number): Promise<void>
}

/** Calls for child runs: timers that stand until their answer is recorded. */
export interface ChildStore {
  claimChildCall(timerId: number, claimMs: number): Promise<ChildCall | undefined>
  postponeCall(timerId: number, afterMs: number): Promise<void>
}

export interface InboxStore {
  putInInbox(runId: string, command: InboxCommand, dedupeKey: string): Promise<void>
  findInbox(limit: number): Promise<InboxRow[]>
  findInboxOf(runIds: readonly string[]): Promise<InboxRow[]>
}

export interface ReconcileStore {
  restoreLostQueueRows(limit: number): Promise<number>
  removeDeadQueueRows(limit: number): Promise<number>
  findStuckRuns(limit: number): Promise<string[]>
  countOverdue(): Promise<Overdue>
  forgetInbox(olderThanDays: number): Promise<void>
}

/** Maps' children and their groups. */
export interface MapStore {
  findMapWork(limit: number, except: readonly string[]): Promise<MapWork[]>
  loadMapItems(runId: string, ordinal: number): Promise<string | undefined>
  loadChildren(taskIds: readonly string[]): Promise<Map<string, ChildRow>>
  loadChildrenBetween(map: MapPlace, from: number, to: number): Promise<Map<number, ChildRow>>
  makeChildren(slice: ChildSlice): Promise<MadeSlice | undefined>
  writeChildren(rows: ChildRows, pick: Pick): Promise<ChildWriteResult>
  endChildren(map: MapPlace, graceMs: number, limit: number): Promise<EndedSlice | undefined>
  loadMapEnd(runId: string, taskId: string): Promise<MapEndRow | undefined>
  loadChildEnds(map: MapPlace, withOutputs: boolean): Promise<ChildEndRow[]>
  findUncountedMaps(limit: number): Promise<MapPlace[]>
  recountMap(map: MapPlace): Promise<boolean>
}

/**
 * All that the engine asks of its database. PostgreSQL implements it in `db/`; tests put a model in its place, and check
 * the model against PostgreSQL operation by operation.
 */
export interface Store
  extends RunStore,
    LeaseStore,
    LimitStore,
    SessionStore,
    ControlStore,
    TimerStore,
    ChildStore,
    InboxStore,
    ReconcileStore,
    MapStore {}
