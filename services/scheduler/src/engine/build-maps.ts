import type { BatchRows } from '../db/batch/clauses.js'
import { isBlocked } from '../domain/limits/run-admission.js'
import type { DecidedRun } from './decided-run.js'

/** What a decision does to the groups of the run's maps. */
export function addMaps(rows: BatchRows, run: DecidedRun): void {
  const { state, effects } = run.decision
  const paused = isBlocked(state.status)
  for (const { index: ordinal, opened, ending, paused: pauses, retried } of effects.maps) {
    const task = state.tasks[ordinal]
    if (!task) continue
    const place = { runId: state.id, ordinal, ending: ending ?? null }
    const { id: taskId, attempt: round } = task
    const limited = run.limited.has(ordinal)
    if (opened) rows.mapOpens.push({ ...place, ...opened, taskId, projectId: state.projectId, round, paused })
    else rows.mapMarks.push({ ...place, paused: pauses ?? null, round: retried ? round : null, limited })
    const { retry, queueTimeoutMs } = run.plan.tasks[ordinal]?.child ?? {}
    for (const child of retried ?? []) {
      const { taskId: id, input = null } = child
      const moreAttempts = retry?.maxAttempts ?? 1
      rows.itemRetries.push({ id, runId: state.id, ordinal, moreAttempts, input, queued: !paused, limited })
      if (queueTimeoutMs === undefined) continue
      rows.newTimers.push({
        unit: state.id,
        runId: state.id,
        taskId: id,
        kind: 'queue-timeout',
        delayMs: queueTimeoutMs,
      })
    }
  }
}
