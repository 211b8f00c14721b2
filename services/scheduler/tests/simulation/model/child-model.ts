import type { ChildRunRequest } from '../../../src/db/child-run-requests.js'
import { micro, type Statement } from './statement.js'

/** A timer may go off a little before its time by the database's clock. */
const EARLY_MS = 100

export function claimChildRequest(s: Statement, timerId: number, claimMs: number): ChildRunRequest | undefined {
  const timer = s.reach('timers', timerId)
  if (!timer || timer.due_at > micro(s.now + EARLY_MS)) return undefined
  const claimed = { ...timer, due_at: micro(s.now + claimMs), tries: timer.tries + 1 }
  s.live.put('timers', timerId, claimed)
  const task = s.seen.get('tasks', timer.task_id ?? '')
  const run = s.seen.get('runs', timer.run_id)
  if (!task || !run) return undefined
  return {
    run_id: run.id,
    task_id: task.id,
    tries: claimed.tries,
    task_status: task.status,
    attempt: task.attempt,
    key: task.key,
    idx: task.idx,
    input: s.seen.get('task_payloads', task.id)?.input ?? null,
    run_status: run.status,
    project_id: run.project_id,
    priority: run.priority,
    labels: JSON.parse(run.labels),
    origin: run.origin === null ? null : JSON.parse(run.origin),
  }
}

export function postponeChildRequest(s: Statement, timerId: number, afterMs: number): void {
  const timer = s.reach('timers', timerId)
  if (timer) s.live.put('timers', timerId, { ...timer, due_at: micro(s.now + afterMs) })
}
