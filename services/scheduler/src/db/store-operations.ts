import { type Pool, type Queryable, withTransaction } from '@millrace/postgres'
import { type DequeueRequest, noDequeue } from '../domain/queue.js'
import { type BatchRows, isLarge, shapeOf } from './batch/clauses.js'
import { commonShape, writeCommon } from './batch/common-write.js'
import { type WriteResult, writeBatch } from './batch/write-batch.js'
import { claimChildRequest, postponeChildRequest } from './child-run-requests.js'
import { findCancelledLeases, notifyReplicas, readControl } from './control.js'
import { releaseDeferred } from './deferred-tasks.js'
import { findDueWork } from './due-work.js'
import { leaseTasks } from './lease-tasks.js'
import { admitRuns, findWaitingRuns, loadAdmission } from './limits/admissions.js'
import { alignQueues } from './limits/align-queues.js'
import { leaseLimited } from './limits/lease-limited.js'
import { countParked, reconcileSlots, removeIdleSlots } from './limits/reconcile-slots.js'
import { unpark, unparkAll } from './limits/unpark.js'
import { findOpenRuns, loadLeases, loadPayloads, loadRunRows, loadSignals, loadTaskRows, lockRun } from './load-runs.js'
import * as maps from './map-groups.js'
import type { SchedulerPools } from './pools.js'
import { countOverdue, findStuckRuns, removeDeadQueueRows, restoreLostQueueRows } from './reconcile.js'
import { recountMap } from './recount-map.js'
import { findExpiredTasks, handBackTasks, requeueLostTasks } from './requeue-tasks.js'
import { findInbox, findInboxOf, forgetInbox, putInInbox } from './run-inbox.js'
import { extendSession, findSession, insertSession, listHeld, recordLiveness } from './sessions.js'
import { deleteTimer, findExistingTimers, findTimers } from './timers.js'
import { endSession, setSessionState } from './workers.js'

/** Reads of runs, the same inside a transaction and outside. */
export const runReads = { loadRunRows, loadTaskRows, loadPayloads, loadSignals, findExistingTimers }

/** The locked path: everything between the first lock and the commit. */
export const lockedOperations = {
  ...runReads,
  loadAdmission,
  findOpenRuns,
  lockRun,
  lockMaps: maps.lockMaps,
  loadItems: maps.loadItems,
  writeBatch: async (tx: Queryable, rows: BatchRows): Promise<WriteResult> => {
    if (isLarge(rows)) await tx.query('set local plan_cache_mode = force_custom_plan')
    return writeBatch(tx, rows, noDequeue)
  },
}

/** What is done on the pool for everything, by concern. */
export const operations = {
  runs: { ...runReads, loadLeases },
  leases: { leaseTasks, handBackTasks, requeueLostTasks, findExpiredTasks, releaseDeferred },
  /** How limits are counted is told in `limits/README.md`. */
  limits: {
    ...{ leaseLimited, alignQueues, unpark, unparkAll, admitRuns, findWaitingRuns },
    ...{ reconcileSlots, removeIdleSlots, countParked },
  },
  sessions: { insertSession, findSession },
  /** How queues and workers stand. Whatever changes it raises the version by the same commit. */
  control: { readControl, findCancelledLeases, setSessionState, endSession },
  dueWork: { findDueWork },
  timers: { findTimers, deleteTimer },
  /** Requests for child runs: timers that exist until their answer is recorded. */
  childRunRequests: { claimChildRequest, postponeChildRequest },
  inbox: { putInInbox, findInbox, findInboxOf },
  reconcile: { restoreLostQueueRows, removeDeadQueueRows, findStuckRuns, countOverdue, forgetInbox },
  maps: {
    findMapWork: maps.findMapWork,
    loadMapItems: maps.loadMapItems,
    loadItems: maps.loadItems,
    loadItemsBetween: maps.loadItemsBetween,
    loadOpenItems: maps.loadOpenItems,
    loadMapEnd: maps.loadMapEnd,
    loadItemEnds: maps.loadItemEnds,
    findUncountedMaps: maps.findUncountedMaps,
    recountMap: (pool: Pool, map: maps.MapPlace) => withTransaction(pool, (tx) => recountMap(tx, map)),
  },
}

/** What may be lost in a crash of the database alone waits for no flush. */
export const lazySessions = { extendSession, listHeld, recordLiveness }
export const lazyControl = { notifyReplicas }

/** What chooses its pool. */
export const pooledRuns = {
  /** The fast path: one statement, one commit. */
  writeBatch: async ({ pool, bulkPool, logger }: SchedulerPools, rows: BatchRows, dequeue: DequeueRequest) => {
    const shape = shapeOf(rows, dequeue.max > 0)
    const written = commonShape(shape) ? await writeCommon(pool, rows, dequeue, logger) : undefined
    return written ?? writeBatch(isLarge(rows) ? bulkPool : pool, rows, dequeue, shape)
  },
}
