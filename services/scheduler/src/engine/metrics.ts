import { counter, gauge, histogram } from '@millrace/telemetry'
import type { Measures } from '../db/measure.js'
import type { CommitCounts } from './announce.js'

export const shardMetrics = {
  batchSize: histogram({
    name: 'millrace_scheduler_batch_runs',
    help: 'Runs written by one statement',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
  }),
  writeConflicts: counter({
    name: 'millrace_scheduler_write_conflicts_total',
    help: 'Runs of a batch that lost on rev or lease and were decided again',
  }),
  staleReports: counter({
    name: 'millrace_scheduler_stale_reports_total',
    help: 'Reports of leases that had been fenced',
  }),
}

export const evaluationMetrics = {
  elsewhere: counter({
    name: 'millrace_scheduler_costly_evaluations_total',
    help: 'Decisions whose expressions were evaluated in a thread of their own',
  }),
}

export const leaseMetrics = {
  granted: counter({ name: 'millrace_scheduler_leases_total', help: 'Leases given to workers' }),
  requeued: counter({
    name: 'millrace_scheduler_requeued_total',
    help: 'Leases that went back to the queue',
    labelNames: ['why'],
  }),
}

export const childMetrics = {
  calls: counter({
    name: 'millrace_scheduler_child_run_requests_total',
    help: 'Child runs asked for, by what became of it: started, refused, or put off because nobody answered',
    labelNames: ['outcome'],
  }),
}

export const controlMetrics = {
  commands: counter({
    name: 'millrace_scheduler_worker_commands_total',
    help: 'Commands given to workers, by how they reached the replica that has the stream',
    labelNames: ['command', 'way'],
  }),
  workers: gauge({
    name: 'millrace_scheduler_workers',
    help: 'Live worker sessions, by state',
    labelNames: ['state'],
  }),
  revoked: counter({
    name: 'millrace_scheduler_revoked_sessions_total',
    help: 'Worker sessions ended because their API key may no longer be used',
  }),
  pausedQueues: gauge({ name: 'millrace_scheduler_paused_queues', help: 'Queues that hand out nothing' }),
  waiting: gauge({
    name: 'millrace_scheduler_waiting_tasks',
    help: 'Tasks that are ready and not leased; 100,000 stands for that many or more',
  }),
  recovery: histogram({
    name: 'millrace_scheduler_lost_worker_seconds',
    help: 'From the last heartbeat of a lost worker until its tasks were back in the queue',
    buckets: [1, 2, 4, 6, 7, 8, 9, 10, 12, 15, 20, 30, 60],
  }),
}

/** Read from the database by every replica: take the maximum over replicas, never the sum. */
export const backlogMetrics = {
  queueTasks: gauge({
    name: 'millrace_scheduler_queue_tasks',
    help: 'Tasks that wait in a queue: ready for a worker, or parked under a limit; the deepest queues and `default`',
    labelNames: ['queue', 'state'],
  }),
  queueAge: gauge({
    name: 'millrace_scheduler_queue_age_seconds',
    help: 'Age of the task that has been ready longest in a queue that is not paused',
    labelNames: ['queue'],
  }),
  runs: gauge({
    name: 'millrace_scheduler_runs',
    help: 'Runs that have not ended, by status; 100,000 in all stands for that many or more',
    labelNames: ['status'],
  }),
  openDeadLetters: gauge({
    name: 'millrace_scheduler_open_dead_letters',
    help: 'Dead letters that nobody retried or discarded; 100,000 stands for that many or more',
  }),
}

export function showMeasures({ queues, runs, open_dead_letters: open }: Measures): void {
  backlogMetrics.queueTasks.reset()
  backlogMetrics.queueAge.reset()
  for (const { queue, ready, parked, oldest_seconds: age } of [...queues, ...(queues.some(isDefault) ? [] : [idle])]) {
    backlogMetrics.queueTasks.set({ queue, state: 'ready' }, ready)
    backlogMetrics.queueTasks.set({ queue, state: 'parked' }, parked)
    backlogMetrics.queueAge.set({ queue }, age)
  }
  for (const status of ['queued', 'running', 'paused', 'cancelling']) {
    backlogMetrics.runs.set({ status }, runs.find((row) => row.status === status)?.count ?? 0)
  }
  backlogMetrics.openDeadLetters.set(open)
}

const idle = { queue: 'default', ready: 0, parked: 0, oldest_seconds: 0 }
const isDefault = ({ queue }: { queue: string }): boolean => queue === idle.queue

export const outputMetrics = {
  large: counter({
    name: 'millrace_scheduler_large_outputs_total',
    help: 'Outputs kept as artifacts: stored before their report was applied, put off, or moved afterwards',
    labelNames: ['outcome'],
  }),
}

export const limitMetrics = {
  decided: counter({
    name: 'millrace_scheduler_limited_total',
    help: 'Attempts that a limit let start (taken) or sent to wait (refused), by what is counted',
    labelNames: ['outcome', 'scope'],
  }),
  unparked: counter({
    name: 'millrace_scheduler_unparked_total',
    help: 'Tasks that waited for a limit and were let go on',
  }),
  waiting: gauge({
    name: 'millrace_scheduler_limit_waiting',
    help: 'Tasks parked under a limit and runs that wait for their workflow’s; 100,000 stands for that many or more',
    labelNames: ['what'],
  }),
}

const reconcilerFinds = [
  'dead_queue_row',
  'lost_queue_row',
  'overdue_timer',
  'overdue_inbox',
  'slot_drift',
  'uncounted_map',
  'stuck_run',
] as const
export type ReconcilerFind = (typeof reconcilerFinds)[number]

export const reconcileMetrics = {
  moved: counter({
    name: 'millrace_scheduler_reconciled_total',
    help: 'Things found that should have moved and had not; zero in a run without faults',
    labelNames: ['what'],
  }),
}

export const mapMetrics = {
  made: counter({ name: 'millrace_scheduler_map_items_made_total', help: 'Items of maps that were taken up' }),
  changed: counter({
    name: 'millrace_scheduler_map_items_changed_total',
    help: "Changes of maps' items that their reports and timers brought about",
  }),
  ended: counter({
    name: 'millrace_scheduler_map_items_ended_total',
    help: 'Items that ended because their map did: it was cancelled, stopped or out of time',
  }),
  batch: histogram({
    name: 'millrace_scheduler_map_item_batch',
    help: 'Items changed by one statement',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
  }),
}

// An increase is seen only of a series that was there before: what alerts count begins at 0.
for (const why of ['lost_worker', 'handed_back', 'circuit_open']) leaseMetrics.requeued.inc({ why }, 0)
for (const what of reconcilerFinds) reconcileMetrics.moved.inc({ what }, 0)

/** Counts what a commit did. */
export function countCommit(counts: CommitCounts): void {
  if (counts.batchRuns !== undefined) shardMetrics.batchSize.observe(counts.batchRuns)
  if (counts.batchItems) {
    mapMetrics.batch.observe(counts.batchItems.size)
    mapMetrics.changed.inc(counts.batchItems.won)
  }
  if (counts.itemsMade) mapMetrics.made.inc(counts.itemsMade)
  if (counts.itemsEnded) mapMetrics.ended.inc(counts.itemsEnded)
  if (counts.requeued) leaseMetrics.requeued.inc({ why: counts.requeued.why }, counts.requeued.tasks)
  for (const seconds of counts.silentSeconds ?? []) controlMetrics.recovery.observe(seconds)
  if (counts.unparked) limitMetrics.unparked.inc(counts.unparked)
  for (const scope of counts.limitsTaken ?? []) limitMetrics.decided.inc({ outcome: 'taken', scope })
  for (const scope of counts.limitsRefused ?? []) limitMetrics.decided.inc({ outcome: 'refused', scope })
}
