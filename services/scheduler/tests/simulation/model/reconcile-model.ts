import type { Overdue } from '../../../src/db/reconcile.js'
import { enqueue } from './queue-model.js'
import type { Statement } from './statement.js'
import type { TaskTuple } from './tables.js'

export function restoreLostQueueRows(s: Statement, limit: number): number {
  const lost = (task: TaskTuple): boolean => {
    const run = s.seen.get('runs', task.run_id)
    if (!run || run.finished_at !== null || run.status === 'paused' || run.status === 'queued') return false
    if (task.status !== 'queued' || task.queued_at === null || task.queued_at >= s.now - 2000) return false
    return !s.seen.get('task_queue', task.id) && !s.seen.get('held_back', task.id)
  }
  let restored = 0
  for (const task of [...s.seen.all('tasks')].filter(lost).slice(0, limit)) {
    if (enqueue(s, task)) restored += 1
  }
  return restored
}

export function removeDeadQueueRows(s: Statement, limit: number): number {
  const dead = s
    .reachAll(
      'task_queue',
      (row) => s.seen.get('tasks', row.task_id)?.status !== 'queued',
      (row) => row.task_id,
    )
    .filter(({ task_id }) => !s.locked('task_queue', task_id))
    .slice(0, limit)
  for (const { task_id } of dead) s.live.remove('task_queue', task_id)
  return dead.length
}

export function findStuckRuns(s: Statement, limit: number): string[] {
  const moving = new Set<string>()
  for (const task of s.seen.all('tasks')) {
    if (['queued', 'running', 'waiting'].includes(task.status)) moving.add(task.run_id)
  }
  for (const timer of s.seen.all('timers')) {
    if (['retry', 'cancel-deadline', 'advance'].includes(timer.kind)) moving.add(timer.run_id)
  }
  return [...s.seen.all('runs')]
    .filter((run) => run.finished_at === null && (run.status === 'running' || run.status === 'cancelling'))
    .filter((run) => run.created_at < s.now - 5000 && !moving.has(run.id))
    .slice(0, limit)
    .map(({ id }) => id)
}

export function countOverdue(s: Statement): Overdue {
  const timers = [...s.seen.all('timers')].filter(({ due_at }) => due_at < s.now - 2000)
  const inbox = [...s.seen.all('run_inbox')].filter(
    (row) => row.created_at < s.now - 1000 && s.seen.get('runs', row.run_id) !== undefined,
  )
  return { timers: timers.length, inbox: inbox.length }
}
