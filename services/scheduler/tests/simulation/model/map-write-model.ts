import type { BatchRows } from '../../../src/db/batch/clauses.js'
import { childrenOf, groupKey, isHard, tellUpdate } from './group-model.js'
import { addTimer, enqueueChild, noPayload } from './map-model.js'
import { giveBack } from './slot-model.js'
import type { Statement } from './statement.js'
import type { MapGroupTuple, RunTuple, TaskTuple } from './tables.js'

type Applied = ReadonlyMap<string, RunTuple>

/** What a run's decision does to the groups of its maps. */
export function writeMaps(s: Statement, rows: BatchRows, applied: Applied): void {
  const won = <T extends { runId: string }>(some: readonly T[]) => some.filter(({ runId }) => applied.has(runId))
  for (const row of won(rows.mapOpens)) openMap(s, row, applied.get(row.runId)?.rev ?? 0)
  const revived = won(rows.itemRetries).flatMap((row) => revive(s, row) ?? [])
  for (const mark of won(rows.mapMarks)) {
    const place = { run_id: mark.runId, ordinal: mark.ordinal }
    const group = s.reach('map_groups', groupKey(place))
    const more = revived.filter((task) => groupKey(task) === groupKey(place)).length
    if (group)
      s.live.put('map_groups', groupKey(place), marked(s, group, mark, applied.get(mark.runId)?.rev ?? 0, more))
    if (mark.paused === true) {
      for (const queued of s.reachAll(
        'task_queue',
        (row) => row.run_id === mark.runId && row.child,
        (row) => row.task_id,
      ))
        s.live.remove('task_queue', queued.task_id)
    }
    if (mark.paused === false) resumeChildren(s, place, mark.limited)
  }
}

function openMap(s: Statement, row: BatchRows['mapOpens'][number], run_rev: number): void {
  const { runId: run_id, ordinal, taskId: task_id, projectId: project_id, round, paused } = row
  const ending = row.ending as MapGroupTuple['ending']
  const state = { run_rev, round, made: 0, open: 0, paused, ending, ending_at: ending ? s.now : null, closed_at: null }
  const key = groupKey({ run_id, ordinal })
  const before = s.live.get('map_groups', key)
  const { items, total, maxParallel: max_parallel } = row
  const fresh = { run_id, ordinal, task_id, project_id, items, total, max_parallel, output_bytes: 0 }
  s.live.put('map_groups', key, { ...(before ?? fresh), ...state })
}

/** A failed child is tried again by itself. */
function revive(s: Statement, row: BatchRows['itemRetries'][number]): TaskTuple | undefined {
  if (row.input !== null) {
    const before = s.live.get('task_payloads', row.id) ?? noPayload(row.id)
    s.live.put('task_payloads', row.id, { ...before, input: row.input })
  }
  const task = s.reach('tasks', row.id)
  if (!task || task.run_id !== row.runId || task.status !== 'failed') return undefined
  const next: TaskTuple = {
    ...{ ...task, status: 'queued', rev: task.rev + 1, attempt: task.attempt + 1, losses: 0 },
    max_attempts: task.attempt + row.moreAttempts,
    ...{ queued_at: s.now, started_at: null, finished_at: null },
  }
  s.live.put('tasks', task.id, next)
  if (row.queued) enqueueChild(s, next, row.limited)
  tellUpdate(s, next)
  return next
}

function marked(
  s: Statement,
  group: MapGroupTuple,
  mark: BatchRows['mapMarks'][number],
  run_rev: number,
  revived: number,
): MapGroupTuple {
  const asked = mark.ending as MapGroupTuple['ending']
  const again = mark.round !== null
  const keeps = asked === null || isHard(group.ending) || (group.ending !== null && asked === 'stop')
  return {
    ...group,
    ending: again && group.closed_at !== null ? asked : keeps ? group.ending : asked,
    ending_at: asked === null || isHard(group.ending) ? group.ending_at : s.now,
    paused: mark.paused ?? group.paused,
    round: mark.round ?? group.round,
    run_rev: again ? run_rev : group.run_rev,
    made: again && group.closed_at !== null && group.ending !== null ? 0 : group.made,
    closed_at: again ? null : group.closed_at,
    open: group.open + revived,
  }
}

/** What left the queue goes back into it; retries that were put off are due. */
function resumeChildren(s: Statement, place: { run_id: string; ordinal: number }, limited: boolean): void {
  const isBack = ({ status }: TaskTuple) => status === 'queued' || status === 'delayed'
  for (const { id } of childrenOf(s.seen, place).filter(isBack)) {
    const task = s.reach('tasks', id)
    if (!task || !isBack(task)) continue
    enqueueChild(s, task, limited)
    if (task.status === 'delayed') addTimer(s, task.run_id, task.id, 'retry', 0)
  }
}

const neverLeased = {
  ...{ lease_id: null, session_id: null, worker_id: null, deadline_at: null },
  ...{ error: null, queued_at: null, started_at: null },
}

/** The items of another run's map that succeeded, all but one. */
export function copyItems(s: Statement, rows: BatchRows, applied: Applied): void {
  for (const { runId: run_id, ordinal, prefix, suffix, fromRunId, fromOrdinal, exceptIndex } of rows.itemCopies) {
    if (!applied.has(run_id)) continue
    for (const item of childrenOf(s.seen, { run_id: fromRunId, ordinal: fromOrdinal })) {
      if (item.idx === exceptIndex || item.status !== 'succeeded') continue
      const id = `${prefix}${(32_768 + item.idx).toString(16).padStart(4, '0')}${suffix}`
      const own = { id, run_id, ordinal, rev: 1, losses: 0, holds_slots: false, token: 0, finished_at: s.now }
      s.live.put('tasks', id, { ...item, ...own, ...neverLeased })
      const payload = s.seen.get('task_payloads', item.id)
      if (payload) s.live.put('task_payloads', id, { ...payload, task_id: id })
    }
  }
}

/** Places in the line of a workflow's limit: taken, and given back. */
export function dropAdmissions(s: Statement, rows: BatchRows, applied: Applied) {
  const left = rows.droppedAdmissions.flatMap(({ runId }) => {
    const row = applied.has(runId) ? s.reach('run_admissions', runId) : undefined
    if (row) s.live.remove('run_admissions', runId)
    return row?.state === 'admitted' ? [{ project_id: row.project_id, scope: 'workflow', key: row.key }] : []
  })
  return giveBack(s, left)
}
