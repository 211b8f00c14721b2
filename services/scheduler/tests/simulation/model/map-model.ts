import type { ItemEndRow, ItemRow, MapEndRow, MapPlace, MapWork } from '../../../src/db/map-groups.js'
import { CANCEL_GRACE_MS } from '../../../src/domain/cancel.js'
import { QueuePart } from '../../../src/domain/queue.js'
import { childrenOf, groupKey, isHard, isIdle, isOpen, putGroup } from './group-model.js'
import { enqueuePlace } from './queue-model.js'
import { micro, type Statement } from './statement.js'
import type { MapGroupTuple, TaskTuple } from './tables.js'

export function hasWork(s: Statement, group: MapGroupTuple): boolean {
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
