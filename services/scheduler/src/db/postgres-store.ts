import { type Queryable, withTransaction } from '@millrace/postgres'
import type { RunReads, RunTransaction, Store } from '../engine/store.js'
import { claimChildCall, postponeCall } from './child-calls.js'
import { findCancelledLeases, notifyReplicas, readControl } from './control.js'
import { noPick } from './lease-fragment.js'
import { leaseTasks } from './lease-tasks.js'
import { loadLeases, loadPayloads, loadRunRows, loadSignals, loadTaskRows, lockRun } from './load-runs.js'
import type { SchedulerPools } from './pools.js'
import { countOverdue, findStuckRuns, removeDeadQueueRows, restoreLostQueueRows } from './reconcile.js'
import { findExpiredTasks, handBackTasks, requeueLostTasks } from './requeue-tasks.js'
import { findInbox, findInboxOf, forgetInbox, putInInbox } from './run-inbox.js'
import { beatPulse, extendSession, findSession, insertSession, listHeld } from './sessions.js'
import { deleteTimer, findTimers } from './timers.js'
import { endSession, setSessionState } from './workers.js'
import { writeBatch } from './write-batch.js'
import { isLarge } from './write-rows.js'

export function createPostgresStore({ pool, bulkPool, lazyPool }: SchedulerPools): Store {
  return {
    ...runReads(pool),
    loadLeases: (taskIds) => loadLeases(pool, taskIds),
    writeBatch: (rows, pick) => writeBatch(isLarge(rows) ? bulkPool : pool, rows, pick),
    transaction: (work) => withTransaction(pool, (tx) => work(runTransaction(tx))),
    leaseTasks: (pick) => leaseTasks(pool, pick),
    handBackTasks: (held) => handBackTasks(pool, held),
    requeueLostTasks: (limit) => requeueLostTasks(pool, limit),
    findExpiredTasks: (limit) => findExpiredTasks(pool, limit),
    insertSession: (session, leaseMs) => insertSession(pool, session, leaseMs),
    findSession: (id) => findSession(pool, id),
    extendSession: (id, leaseMs) => extendSession(lazyPool, id, leaseMs),
    listHeld: (sessionId) => listHeld(lazyPool, sessionId),
    beatPulse: (gapMs, leaseMs) => beatPulse(lazyPool, gapMs, leaseMs),
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

function runReads(client: Queryable): RunReads {
  return {
    loadRunRows: (runIds) => loadRunRows(client, runIds),
    loadTaskRows: (runIds) => loadTaskRows(client, runIds),
    loadPayloads: (taskIds) => loadPayloads(client, taskIds),
    loadSignals: (runIds) => loadSignals(client, runIds),
  }
}

function runTransaction(tx: Queryable): RunTransaction {
  return {
    ...runReads(tx),
    lockRun: (runId) => lockRun(tx, runId),
    writeBatch: async (rows) => {
      if (isLarge(rows)) await tx.query('set local plan_cache_mode = force_custom_plan')
      return writeBatch(tx, rows, noPick)
    },
  }
}
