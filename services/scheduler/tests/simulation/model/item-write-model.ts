import type { BatchRow, BatchRows } from '../../../src/db/batch/clauses.js'
import { taskHasEnded } from '../../../src/domain/task-state.js'
import { groupKey, insertDeadLetter, lockGroup, putGroup, tell, tellUpdate } from './group-model.js'
import { enqueueChild } from './map-model.js'
import { beginItems } from './slice-write-model.js'
import type { Statement } from './statement.js'
import type { MapGroupTuple, TaskTuple } from './tables.js'

type ItemChange = BatchRow<'itemChanges'>

/** Each item wins or loses by itself. */
export function itemWins(s: Statement, change: ItemChange, rows: BatchRows): boolean {
  const task = s.reach('tasks', change.id)
  const group = lockGroup(s, { run_id: change.runId, ordinal: change.ordinal })
  if (!task || task.run_id !== change.runId || !group) return false
  const same = (wanted: unknown, found: unknown) => wanted === null || wanted === found
  return (
    task.status === change.expected &&
    group.closed_at === null &&
    group.ending === change.ending &&
    same(change.paused, group.paused) &&
    same(change.token, task.token) &&
    same(change.leaseId, task.lease_id) &&
    same(change.sessionId, task.session_id) &&
    (rows.taskChanges.some(({ mayHoldSlots }) => mayHoldSlots) || !task.holds_slots) &&
    !rows.firedTimers.some(({ id, unit }) => unit === change.id && !s.seen.get('timers', id))
  )
}

/** What follows from the items that won, beside what follows for any task. */
export function followItems(
  s: Statement,
  rows: BatchRows,
  won: readonly ItemChange[],
  slices: readonly BatchRow<'slices'>[],
) {
  const written = won.flatMap((change) => {
    const task = s.live.get('tasks', change.id)
    return task ? [{ change, task }] : []
  })
  for (const { change, task } of written) {
    enqueueChild(s, task, change.limited)
    insertDeadLetter(s, task, change.deadLetterId)
    claim(s, change, task, rows.taskChanges.find(({ id }) => id === task.id)?.error ?? null)
    tellUpdate(s, task)
  }
  const groups = [...tally(s, written), ...slices.flatMap((slice) => beginItems(s, rows, slice))]
  return {
    closed: groups.filter(({ closed_at }) => closed_at !== null).map(({ run_id }) => run_id),
    hasRoom: groups.some(
      ({ closed_at, ending, paused, made, total }) => closed_at === null && ending === null && !paused && made < total,
    ),
  }
}

/** The worker's own words. */
function claim(s: Statement, change: ItemChange, task: TaskTuple, failure: string | null): void {
  if (change.claim === null) return
  const { id: taskId, run_id: runId, project_id: projectId, token, lease_id: leaseId, session_id: sessionId } = task
  const { durationMs } = change
  const told = { taskId, runId, projectId, token, leaseId, sessionId, durationMs, attempt: task.attempt }
  const more =
    change.claim === 'task.completed'
      ? { outputJson: change.reportOutput ?? '' }
      : { error: failure === null ? null : JSON.parse(failure) }
  tell(s, task, change.claim, change.reportSource ?? '', () => ({ ...told, ...more }))
}

interface Written {
  readonly change: ItemChange
  readonly task: TaskTuple
}

/** The counts of groups fall by the items that ended. */
function tally(s: Statement, written: readonly Written[]): MapGroupTuple[] {
  const ended = new Map<string, Written[]>()
  for (const one of written) {
    if (taskHasEnded(one.task.status)) ended.set(groupKey(one.task), [...(ended.get(groupKey(one.task)) ?? []), one])
  }
  return [...ended].flatMap(([key, some]) => {
    const group = s.live.get('map_groups', key)
    if (!group) return []
    const open = group.open - some.length
    const bytes = some.reduce((sum, { change }) => sum + change.outputBytes, 0)
    const closed = (group.made === group.total || group.ending !== null) && open <= 0
    const next = { ...group, open, output_bytes: group.output_bytes + bytes, closed_at: closed ? s.now : null }
    putGroup(s, next)
    return [next]
  })
}
