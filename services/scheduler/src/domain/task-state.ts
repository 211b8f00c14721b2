import { IllegalTransitionError } from './illegal-transition-error.js'

export const TaskStatus = {
  Pending: 'pending',
  Delayed: 'delayed',
  Waiting: 'waiting',
  Queued: 'queued',
  Running: 'running',
  Succeeded: 'succeeded',
  Failed: 'failed',
  Skipped: 'skipped',
  Cancelled: 'cancelled',
} as const
export type TaskStatus = (typeof TaskStatus)[keyof typeof TaskStatus]

/**
 * Every legal change of a task's status. `pending → succeeded` is a rerun's, which takes over what another run's task
 * gave; `delayed → delayed` an attempt's that failed before its lease. `queued → running` and `running → queued` (a lost or handed-back lease)
 * happen in the lease statements; the rest is decided here.
 */
export const taskTransitions: Record<TaskStatus, readonly TaskStatus[]> = {
  pending: ['delayed', 'waiting', 'queued', 'succeeded', 'failed', 'skipped', 'cancelled'],
  delayed: ['delayed', 'waiting', 'queued', 'failed', 'skipped', 'cancelled'],
  waiting: ['delayed', 'queued', 'succeeded', 'failed', 'skipped', 'cancelled'],
  queued: ['running', 'failed', 'skipped', 'cancelled'],
  running: ['queued', 'delayed', 'succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: ['queued', 'pending'],
  skipped: ['pending'],
  cancelled: ['queued', 'pending'],
}

const ended: ReadonlySet<TaskStatus> = new Set(['succeeded', 'failed', 'skipped', 'cancelled'])
export const taskHasEnded = (status: TaskStatus): boolean => ended.has(status)

/** Handed to the queue: queued or running, which only the task's row knows. */
export const taskIsLive = (status: TaskStatus): boolean => status === 'queued' || status === 'running'

export function assertTaskTransition(taskId: string, from: TaskStatus, to: TaskStatus): void {
  if (!taskTransitions[from].includes(to)) throw new IllegalTransitionError('task', taskId, from, to)
}
