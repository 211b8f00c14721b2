import type { BatchRows } from '../db/batch/clauses.js'
import type { MapWork } from '../db/map-groups.js'
import type { EnginePlanChild, EnginePlanTask } from '../domain/engine-plan.js'
import type { ItemStep, ItemTimer } from '../domain/map-item.js'
import { hasDeadLetter } from '../domain/settle.js'
import type { RunState } from '../domain/state.js'
import type { Environment } from './environment.js'

export interface NewItem {
  readonly id: string
  readonly index: number
  readonly maxAttempts: number
  readonly step: ItemStep
}

/** A slice of a map: its next items, up to index `to`, and what becomes of them as they begin. */
export interface DecidedSlice {
  readonly map: MapWork
  readonly state: RunState
  readonly task: EnginePlanTask
  readonly planned: EnginePlanChild
  readonly to: number
  /** They are leased only together with slots. */
  readonly limited: boolean
  readonly items: readonly NewItem[]
}

export function timersOf({ step }: NewItem): readonly ItemTimer[] {
  if (!('error' in step)) return step.timers
  return step.status === 'delayed' ? [{ kind: 'retry', delayMs: step.delayMs }] : []
}

/** What a slice writes: the items, and what follows for any task. */
export function addSlice(rows: BatchRows, slice: DecidedSlice, env: Environment): void {
  const { map, state, task, planned, to: endIndex, limited } = slice
  const { task_id: unit, run_id: runId, ordinal, round, made: firstIndex } = map
  const { uses, queue, priority = state.priority, timeoutMs = null } = planned
  rows.slices.push({
    ...{ unit, runId, ordinal, projectId: state.projectId, round, firstIndex, endIndex, limited },
    ...{ key: task.key, name: task.name, uses, queue, priority, timeoutMs },
  })
  for (const item of slice.items) {
    const { id, index: idx, maxAttempts, step } = item
    const { status, attempt } = step
    const failed = 'error' in step
    const deadLetterId = status === 'failed' && hasDeadLetter(step.error) ? env.newId() : null
    const error = failed ? JSON.stringify(step.error) : null
    rows.newItems.push({ id, unit, idx, status, attempt, maxAttempts, error, deadLetterId })
    for (const { kind, delayMs } of timersOf(item)) rows.newTimers.push({ unit, runId, taskId: id, kind, delayMs })
    if (failed) continue
    if (step.input !== undefined) rows.payloads.push({ taskId: id, unit, input: step.input, output: null })
    if (step.limits) rows.taskLimits.push({ taskId: id, unit, limits: JSON.stringify(step.limits) })
  }
}
