import type { ItemSlice, MadeSlice, NewItemRow } from '../../../src/db/make-items.js'
import type { ItemEndRow, ItemRow, MapEndRow, MapPlace, MapWork } from '../../../src/db/map-groups.js'
import { CANCEL_GRACE_MS } from '../../../src/domain/cancel.js'
import { QueuePart } from '../../../src/domain/queue.js'
import type { TaskStatus } from '../../../src/domain/task-state.js'
import {
  bury,
  childrenOf,
  groupKey,
  isHard,
  isIdle,
  isOpen,
  keepFailure,
  lockGroup,
  putGroup,
  tellUpdate,
} from './group-model.js'
import { enqueuePlace } from './queue-model.js'
import { micro, type Statement } from './statement.js'
import type { MapGroupTuple, TaskTuple } from './tables.js'

function hasWork(s: Statement, group: MapGroupTuple): boolean {
  if (group.closed_at !== null) return false
  if (isHard(group.ending)) return true
  if (group.ending !== null) return group.open <= 0 || childrenOf(s.seen, group).some(isIdle)
  return !group.paused && group.made < group.total && group.open < group.max_parallel
}

export function findMapWork(s: Statement, limit: number, except: readonly string[]): MapWork[] {
  if (s.seen.size('map_groups') === 0) return []
  return [...s.seen.all('map_groups')]
    .filter((group) => !except.includes(group.run_id) && hasWork(s, group))
    .sort((a, b) => (a.run_id < b.run_id ? -1 : a.run_id > b.run_id ? 1 : a.ordinal - b.ordinal))
    .slice(0, limit)
    .map(({ run_id, ordinal, task_id, round, run_rev, made, total, ending, max_parallel, open }) => {
      return { run_id, ordinal, task_id, round, run_rev, made, total, room: max_parallel - open, ending }
    })
}

export const loadMapItems = (s: Statement, run_id: string, ordinal: number): string | undefined =>
  s.seen.get('map_groups', groupKey({ run_id, ordinal }))?.items

function childRow(s: Statement, task: TaskTuple): ItemRow | undefined {
  const group = s.seen.get('map_groups', groupKey(task))
  if (!group || task.idx < 0) return undefined
  const { id, run_id, ordinal, idx, status, attempt, max_attempts, token, lease_id, session_id, holds_slots } = task
  return {
    ...{ id, run_id, ordinal, idx, status, attempt, max_attempts, token, lease_id, session_id, holds_slots },
    error: task.error === null ? null : JSON.parse(task.error),
    run_rev: group.run_rev,
    ...{ ending: group.ending, paused: group.paused, closed: group.closed_at !== null },
    late: isHard(group.ending) && (group.ending_at ?? 0) < micro(s.now - CANCEL_GRACE_MS),
  }
}

export function loadItems(s: Statement, taskIds: readonly string[]): Map<string, ItemRow> {
  const found = new Map<string, ItemRow>()
  for (const taskId of taskIds) {
    const task = s.seen.get('tasks', taskId)
    const row = task && childRow(s, task)
    if (row) found.set(taskId, row)
  }
  return found
}

export function loadItemsBetween(s: Statement, map: MapPlace, from: number, to: number): Map<number, ItemRow> {
  const found = new Map<number, ItemRow>()
  for (const task of childrenOf(s.seen, map)) {
    const row = task.idx >= from && task.idx < to ? childRow(s, task) : undefined
    if (row) found.set(task.idx, row)
  }
  return found
}

export function makeItems(s: Statement, slice: ItemSlice): MadeSlice | undefined {
  const { runId: run_id, ordinal, round, from, to, limited } = slice
  const isNext = (group: MapGroupTuple) =>
    group.round === round && group.made === from && group.ending === null && !group.paused && group.closed_at === null
  const group = lockGroup(s, { run_id, ordinal }, isNext)
  if (!group) return undefined
  const made = slice.children.flatMap((child) => makeChild(s, slice, group, child) ?? [])
  for (const { id, input, limits } of slice.children) {
    if (input !== null) {
      const before = s.live.get('task_payloads', id) ?? noPayload(id)
      s.live.put('task_payloads', id, { ...before, input })
    }
    if (limited && limits !== null) s.live.put('task_limits', id, { task_id: id, limits })
  }
  for (const task of made) {
    enqueueChild(s, task, limited)
    tellUpdate(s, task)
    const child = slice.children.find(({ id }) => id === task.id)
    if (!child || child.error === null) continue
    keepFailure(s, task)
    bury(s, task, child.deadLetterId)
  }
  for (const { taskId: task_id, kind, delayMs } of slice.timers) addTimer(s, run_id, task_id, kind, delayMs)
  const open = group.open + made.filter(({ status }) => status !== 'failed').length
  const closed = to === group.total && open === 0
  putGroup(s, { ...group, made: to, open, closed_at: closed ? s.now : null })
  return { closed }
}

export const noPayload = (task_id: string) => ({
  ...{ task_id, input: null, output: null, artifact_id: null, artifact_size: null },
})

export function addTimer(s: Statement, run_id: string, task_id: string, kind: string, delayMs: number): void {
  const id = s.live.next('timers')
  s.live.put('timers', id, { id, run_id, task_id, kind, due_at: micro(s.now + delayMs), tries: 0 })
}

export function enqueueChild(s: Statement, task: TaskTuple, limited: boolean): void {
  if (task.status !== 'queued') return
  const { id: task_id, run_id, project_id, queue, uses, priority } = task
  const part = limited ? QueuePart.limited : QueuePart.plain
  enqueuePlace(s, { task_id, run_id, project_id, queue, uses, priority, part, child: true })
}

function makeChild(s: Statement, slice: ItemSlice, group: MapGroupTuple, child: NewItemRow): TaskTuple | undefined {
  const before = s.live.get('tasks', child.id)
  if (before && !['failed', 'skipped', 'cancelled'].includes(before.status)) return undefined
  const status = child.status as TaskStatus
  const { attempt, maxAttempts: max_attempts } = child
  const times = {
    queued_at: status === 'queued' ? s.now : null,
    started_at: null,
    finished_at: status === 'failed' ? s.now : null,
  }
  const task: TaskTuple = before
    ? {
        ...{ ...before, ...times, status, attempt, max_attempts, rev: before.rev + 1, losses: 0 },
        error: child.error ?? before.error,
      }
    : {
        ...{ id: child.id, run_id: group.run_id, project_id: group.project_id, ordinal: group.ordinal, idx: child.idx },
        ...{ key: slice.key, name: slice.name, uses: slice.uses, queue: slice.queue, priority: slice.priority },
        ...{ status, rev: 1, attempt, max_attempts, timeout_ms: slice.timeoutMs, losses: 0, holds_slots: false },
        ...{ token: 0, lease_id: null, session_id: null, worker_id: null, deadline_at: null, error: child.error },
        ...times,
      }
  s.live.put('tasks', task.id, task)
  return task
}

export const loadOpenItems = (s: Statement, map: MapPlace, limit: number): ItemRow[] => {
  const group = s.seen.get('map_groups', groupKey(map))
  if (!group || group.ending === null || group.closed_at !== null) return []
  const children = childrenOf(s.seen, map)
  const running = children.filter(({ status }) => isHard(group.ending) && status === 'running')
  return [...running, ...children.filter(isIdle).slice(0, limit)].flatMap((task) => childRow(s, task) ?? [])
}

export function loadMapEnd(s: Statement, runId: string, taskId: string): MapEndRow | undefined {
  for (const { run_id, task_id, ordinal, ending, total, output_bytes } of s.seen.all('map_groups')) {
    if (run_id === runId && task_id === taskId) return { ordinal, ending, total, output_bytes }
  }
  return undefined
}

export const loadItemEnds = (s: Statement, map: MapPlace, withOutputs: boolean): ItemEndRow[] =>
  childrenOf(s.seen, map).map(({ id, idx, status, error }) => {
    const output = withOutputs && status === 'succeeded' ? (s.seen.get('task_payloads', id)?.output ?? null) : null
    return { idx, status, error: status === 'failed' && error !== null ? JSON.parse(error) : null, output }
  })

export const findUncountedMaps = (s: Statement, limit: number): MapPlace[] =>
  [...s.seen.all('map_groups')]
    .filter((group) => group.closed_at === null && (group.made === group.total || group.ending !== null))
    .filter((group) => !childrenOf(s.seen, group).some(isOpen))
    .slice(0, limit)
    .map(({ run_id, ordinal }) => ({ run_id, ordinal }))

/** Two statements, the second begun under the lock of the first. */
export function recountMap(s: Statement, map: MapPlace): boolean {
  const group = s.live.get('map_groups', groupKey(map))
  if (!group || group.closed_at !== null) return false
  const open = childrenOf(s.live, map).filter(isOpen).length
  const closed = open === 0 && (group.made === group.total || group.ending !== null)
  putGroup(s, { ...group, open, closed_at: closed ? s.now : null })
  return closed
}
