import type { BatchRow, BatchRows } from '../../../src/db/batch/clauses.js'
import type { TaskStatus } from '../../../src/domain/task-state.js'
import { insertDeadLetter, keepFailure, lockGroup, putGroup, tellUpdate } from './group-model.js'
import { enqueueChild } from './map-model.js'
import type { Statement } from './statement.js'
import type { MapGroupTuple, TaskTuple } from './tables.js'

type Slice = BatchRow<'slices'>
type NewItem = BatchRow<'newItems'>

const placeOf = ({ runId: run_id, ordinal }: Slice) => ({ run_id, ordinal })

export function sliceWins(s: Statement, slice: Slice): boolean {
  const group = lockGroup(s, placeOf(slice))
  if (!group || group.round !== slice.round || group.made !== slice.firstIndex) return false
  return group.ending === null && !group.paused && group.closed_at === null
}

/** The items of a slice that won begin; gives the group as it is then. */
export function beginItems(s: Statement, rows: BatchRows, slice: Slice): MapGroupTuple[] {
  const group = s.reach('map_groups', `${slice.runId}/${slice.ordinal}`)
  if (!group) return []
  const begun = rows.newItems.filter(({ unit }) => unit === slice.unit).flatMap((item) => begin(s, slice, item) ?? [])
  const open = group.open + begun.filter(({ status }) => status !== 'failed').length
  const closed = slice.endIndex === group.total && open <= 0
  const next = { ...group, made: slice.endIndex, open, closed_at: closed ? s.now : null }
  putGroup(s, next)
  return [next]
}

function begin(s: Statement, slice: Slice, item: NewItem): TaskTuple | undefined {
  const before = s.live.get('tasks', item.id)
  if (before && !['failed', 'skipped', 'cancelled'].includes(before.status)) return undefined
  const status = item.status as TaskStatus
  const { attempt, maxAttempts: max_attempts } = item
  const times = {
    queued_at: status === 'queued' ? s.now : null,
    started_at: null,
    finished_at: status === 'failed' ? s.now : null,
  }
  const task: TaskTuple = before
    ? {
        ...{ ...before, ...times, status, attempt, max_attempts, rev: before.rev + 1, losses: 0 },
        error: item.error ?? before.error,
      }
    : {
        ...{ id: item.id, run_id: slice.runId, project_id: slice.projectId, ordinal: slice.ordinal, idx: item.idx },
        ...{ key: slice.key, name: slice.name, uses: slice.uses, queue: slice.queue, priority: slice.priority },
        ...{ status, rev: 1, attempt, max_attempts, timeout_ms: slice.timeoutMs, losses: 0, holds_slots: false },
        ...{ token: 0, lease_id: null, session_id: null, worker_id: null, deadline_at: null, error: item.error },
        ...times,
      }
  s.live.put('tasks', task.id, task)
  enqueueChild(s, task, slice.limited)
  tellUpdate(s, task)
  if (item.error === null) return task
  keepFailure(s, task)
  insertDeadLetter(s, task, item.deadLetterId)
  return task
}
