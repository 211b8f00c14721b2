import { around } from '@millrace/crash-point'
import { type Pool, type Queryable, withTransaction } from '@millrace/postgres'
import type { MapStore, RunReads, RunTransaction, Store } from '../engine/store.js'
import { claimChildCall, postponeCall } from './child-calls.js'
import { findCancelledLeases, notifyReplicas, readControl } from './control.js'

import { endChildren } from './end-children.js'

import { releaseHeldBack } from './held-back.js'

import { noPick } from './lease-fragment.js'
import { leaseTasks } from './lease-tasks.js'
import { admitRuns, findWaitingRuns, loadAdmission } from './limits/admissions.js'
import { alignQueues } from './limits/align-queues.js'
import { leaseLimited } from './limits/lease-limited.js'
import { countParked, reconcileSlots, removeIdleSlots } from './limits/reconcile-slots.js'
import { hasReadyLimited, unpark, unparkAll } from './limits/unpark.js'
import { loadLeases, loadPayloads, loadRunRows, loadSignals, loadTaskRows, lockRun } from './load-runs.js'
import { makeChildren } from './make-children.js'
import {
  findMapWork,
  findUncountedMaps,
  loadChildEnds,
  loadChildren,
  loadChildrenBetween,
  loadMapEnd,
  loadMapItems,
} from './map-groups.js'
import type { SchedulerPools } from './pools.js'
import { countOverdue, findStuckRuns, removeDeadQueueRows, restoreLostQueueRows } from './reconcile.js'
import { recountMap } from './recount-map.js'
import { findExpiredTasks, handBackTasks, requeueLostTasks } from './requeue-tasks.js'
import { findInbox, findInboxOf, forgetInbox, putInInbox } from './run-inbox.js'
import { beatPulse, extendSession, findSession, insertSession, listHeld } from './sessions.js'
import { deleteTimer, findStandingTimers, findTimers } from './timers.js'
import { endSession, setSessionState } from './workers.js'
import { writeBatch } from './write-batch.js'
import { takesFromQueue, writeChildren, writeChildrenLocked } from './write-children.js'
import { isLarge } from './write-rows.js'

/** Above this a plan of its own costs less than nested loops. */
const LARGE_CHILD_BATCH = 100

export function createPostgresStore({ pool, bulkPool, lazyPool }: SchedulerPools): Store {
  return {
    ...runReads(pool),
    ...mapStore(pool, bulkPool),
    loadLeases: (taskIds) => loadLeases(pool, taskIds),
    writeBatch: (rows, pick) => writeBatch(isLarge(rows) ? bulkPool : pool, rows, pick),
    transaction: (work) => withTransaction(pool, (tx) => work(around('scheduler.tx', runTransaction(tx)))),
    leaseTasks: (pick) => leaseTasks(pool, pick),
    leaseLimited: (pick) => leaseLimited(pool, pick),
    alignQueues: (all, limit) => alignQueues(pool, all, limit),
    hasReadyLimited: () => hasReadyLimited(pool),
    unpark: (keys) => unpark(pool, keys),
    unparkAll: (after) => unparkAll(pool, after),
    admitRuns: (key) => admitRuns(pool, key),
    findWaitingRuns: (after) => findWaitingRuns(pool, after),
    reconcileSlots: (limit) => reconcileSlots(pool, limit),
    removeIdleSlots: (limit) => removeIdleSlots(pool, limit),
    countParked: () => countParked(pool),
    handBackTasks: (held) => handBackTasks(pool, held),
    requeueLostTasks: (limit) => requeueLostTasks(pool, limit),
    findExpiredTasks: (limit) => findExpiredTasks(pool, limit),
    releaseHeldBack: (limit) => releaseHeldBack(pool, limit),
    insertSession: (session, leaseMs) => insertSession(pool, session, leaseMs),
    findSession: (id) => findSession(pool, id),
    extendSession: (id, leaseMs) => extendSession(lazyPool, id, leaseMs),
    listHeld: (sessionId) => listHeld(lazyPool, sessionId),
    beatPulse: (gapMs, leaseMs, hold) => beatPulse(lazyPool, gapMs, leaseMs, hold),
    readControl: (known) => readControl(pool, known),
    findCancelledLeases: (sessionIds, limit) => findCancelledLeases(pool, sessionIds, limit),
    setSessionState: (id, to) => setSessionState(pool, id, to),
    endSession: (id) => endSession(pool, id),
    notifyReplicas: (payload) => notifyReplicas(lazyPool, payload),
    findTimers: (horizonMs, limit) => findTimers(pool, horizonMs, limit),
    deleteTimer: (id) => deleteTimer(pool, id),
    claimChildCall: (timerId, claimMs) => claimChildCall(pool, timerId, claimMs),
    postponeCall: (timerId, afterMs) => postponeCall(pool, timerId, afterMs),
    putInInbox: (runId, command, dedupeKey) => putInInbox(pool, runId, command, dedupeKey),
    findInbox: (limit) => findInbox(pool, limit),
    findInboxOf: (runIds) => findInboxOf(pool, runIds),
    restoreLostQueueRows: (limit) => restoreLostQueueRows(pool, limit),
    removeDeadQueueRows: (limit) => removeDeadQueueRows(pool, limit),
    findStuckRuns: (limit) => findStuckRuns(pool, limit),
    countOverdue: () => countOverdue(pool),
    forgetInbox: (olderThanDays) => forgetInbox(pool, olderThanDays),
  }
}

function mapStore(pool: Pool, bulkPool: Pool): MapStore {
  return {
    findMapWork: (limit, except) => findMapWork(pool, limit, except),
    loadMapItems: (runId, ordinal) => loadMapItems(pool, runId, ordinal),
    loadChildren: (taskIds) => loadChildren(pool, taskIds),
    loadChildrenBetween: (map, from, to) => loadChildrenBetween(pool, map, from, to),
    makeChildren: (slice) => makeChildren(pool, slice),
    writeChildren(rows, pick) {
      const target = rows.changes.length > LARGE_CHILD_BATCH ? bulkPool : pool
      if (!takesFromQueue(rows)) return writeChildren(target, rows, pick)
      return withTransaction(target, (tx) => writeChildrenLocked(tx, rows, pick))
    },
    endChildren: (map, graceMs, limit) => withTransaction(bulkPool, (tx) => endChildren(tx, map, graceMs, limit)),
    loadMapEnd: (runId, taskId) => loadMapEnd(pool, runId, taskId),
    loadChildEnds: (map, withOutputs) => loadChildEnds(pool, map, withOutputs),
    findUncountedMaps: (limit) => findUncountedMaps(pool, limit),
    recountMap: (map) => withTransaction(pool, (tx) => recountMap(tx, map)),
  }
}

function runReads(client: Queryable): RunReads {
  return {
    loadRunRows: (runIds) => loadRunRows(client, runIds),
    loadTaskRows: (runIds) => loadTaskRows(client, runIds),
    loadPayloads: (taskIds) => loadPayloads(client, taskIds),
    loadSignals: (runIds) => loadSignals(client, runIds),
    findStandingTimers: (timerIds) => findStandingTimers(client, timerIds),
  }
}

function runTransaction(tx: Queryable): RunTransaction {
  return {
    ...runReads(tx),
    loadAdmission: (runId) => loadAdmission(tx, runId),
    lockRun: (runId) => lockRun(tx, runId),
    writeBatch: async (rows) => {
      if (isLarge(rows)) await tx.query('set local plan_cache_mode = force_custom_plan')
      return writeBatch(tx, rows, noPick)
    },
  }
}
