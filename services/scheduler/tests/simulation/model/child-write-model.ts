import type { ChildChangeRow, ChildRows } from '../../../src/db/child-rows.js'
import type { ChildWriteResult } from '../../../src/db/write-children.js'
import type { Pick } from '../../../src/domain/queue.js'
import { type TaskStatus, taskHasEnded } from '../../../src/domain/task-state.js'
import { bury, groupKey, isHard, keepFailure, lockGroup, putGroup, tell, tellUpdate } from './group-model.js'
import { lease, picked, turn } from './lease-model.js'
import { addTimer, enqueueChild, noPayload } from './map-model.js'
import { freeHolds } from './slot-model.js'
import type { Statement } from './statement.js'
import type { MapGroupTuple, TaskTuple } from './tables.js'

interface Won {
  readonly change: ChildChangeRow
  readonly group: MapGroupTuple
  readonly task: TaskTuple
}

/** The statement that writes children: each wins or loses by itself. */
export function writeChildren(s: Statement, rows: ChildRows, pick: Pick): ChildWriteResult {
  const places = picked(s, turn(s, pick))
  const won = rows.changes.flatMap((change) => winner(s, change, rows) ?? [])
  for (const { change } of won) {
    if (rows.changes.some(({ expected }) => expected === 'queued') && s.reach('task_queue', change.id)) {
      s.live.remove('task_queue', change.id)
    }
    if (change.timerId !== null && s.reach('timers', change.timerId)) s.live.remove('timers', change.timerId)
  }
  for (const id of rows.fired) if (s.reach('timers', id)) s.live.remove('timers', id)
  for (const one of won) s.live.put('tasks', one.task.id, one.task)
  if (rows.dropsTimers) for (const one of won) dropTimers(s, one)
  const fails = rows.changes.some(({ attemptFailed }) => attemptFailed)
  for (const one of won) follow(s, one, fails)
  for (const { taskId, kind, delayMs } of rows.timers) {
    const one = won.find(({ task }) => task.id === taskId)
    if (one) addTimer(s, one.task.run_id, taskId, kind, delayMs)
  }
  const ids = won.map(({ task }) => task.id)
  const freed = rows.mayHoldSlots ? freeHolds(s, ids) : []
  const groups = tally(s, won)
  return {
    won: new Set(ids),
    closed: groups.filter(({ closed_at }) => closed_at !== null).map(({ run_id }) => run_id),
    hasRoom: groups.some(
      ({ closed_at, ending, paused, made, total }) => closed_at === null && ending === null && !paused && made < total,
    ),
    leased: lease(s, pick, places),
    freed,
  }
}

function winner(s: Statement, change: ChildChangeRow, rows: ChildRows): Won | undefined {
  const task = s.reach('tasks', change.id)
  const group = lockGroup(s, { run_id: change.runId, ordinal: change.ordinal })
  if (!task || task.run_id !== change.runId || !group) return undefined
  const same = (wanted: unknown, found: unknown) => wanted === null || wanted === found
  const begins = change.status === 'queued' || change.status === 'waiting'
  const wins =
    task.status === change.expected &&
    group.closed_at === null &&
    same(change.token, task.token) &&
    same(change.leaseId, task.lease_id) &&
    same(change.sessionId, task.session_id) &&
    !(begins && (group.ending !== null || group.paused)) &&
    (rows.mayHoldSlots || !task.holds_slots) &&
    (change.timerId === null || s.seen.get('timers', change.timerId) !== undefined)
  return wins ? { change, group, task: changed(s, change, group, task, rows) } : undefined
}

function finalOf(change: ChildChangeRow, { ending }: MapGroupTuple): TaskStatus {
  if (isHard(ending) && change.status !== 'queued') return 'cancelled'
  return (ending === 'stop' && change.status === 'delayed' ? 'failed' : change.status) as TaskStatus
}

function changed(
  s: Statement,
  change: ChildChangeRow,
  group: MapGroupTuple,
  task: TaskTuple,
  rows: ChildRows,
): TaskTuple {
  const status = finalOf(change, group)
  return {
    ...{ ...task, status, rev: task.rev + 1, attempt: change.attempt ?? task.attempt },
    error: status === 'succeeded' ? null : (change.error ?? task.error),
    token: task.token + (change.fence ? 1 : 0),
    lease_id: change.fence ? null : task.lease_id,
    losses: status === 'queued' ? 0 : task.losses,
    queued_at: status === 'queued' ? s.now : task.queued_at,
    started_at: status === 'queued' || status === 'waiting' ? null : task.started_at,
    deadline_at: null,
    finished_at: taskHasEnded(status) ? s.now : null,
    holds_slots: task.holds_slots && !rows.mayHoldSlots,
  }
}

function dropTimers(s: Statement, { change, task }: Won): void {
  if (!change.attemptFailed) return
  const goes = (timer: { task_id: string | null; kind: string }) =>
    timer.task_id === task.id && (task.status !== 'delayed' || timer.kind !== 'total-timeout')
  for (const { id } of s.reachAll('timers', goes, (timer) => timer.id)) s.live.remove('timers', id)
}

/** What follows from one child's change. */
function follow(s: Statement, { change, group, task }: Won, fails: boolean): void {
  const { id, run_id, status } = task
  const begins = status === 'queued' || status === 'waiting'
  const output = status === 'succeeded' ? change.output : null
  const input = begins ? change.input : null
  if (output !== null || input !== null) {
    const before = s.live.get('task_payloads', id) ?? noPayload(id)
    s.live.put('task_payloads', id, { ...before, input: input ?? before.input, output: output ?? before.output })
  }
  enqueueChild(s, task, change.limited)
  if (change.limits !== null) s.live.put('task_limits', id, { task_id: id, limits: change.limits })
  if (fails && change.attemptFailed) keepFailure(s, task)
  if (fails) bury(s, task, change.deadLetterId, change.errorClass)
  if (fails && status === 'delayed' && !group.paused) addTimer(s, run_id, id, 'retry', change.retryDelayMs)
  claim(s, change, task)
  tellUpdate(s, task)
}

/** The worker's own words. */
function claim(s: Statement, change: ChildChangeRow, task: TaskTuple): void {
  if (change.claim === null) return
  const { id: taskId, run_id: runId, project_id: projectId, token, lease_id: leaseId, session_id: sessionId } = task
  const told = {
    taskId,
    runId,
    projectId,
    token,
    leaseId,
    sessionId,
    durationMs: change.durationMs,
    attempt: task.attempt,
  }
  const more =
    change.claim === 'task.completed'
      ? { outputJson: change.reportOutput ?? '' }
      : { error: change.error === null ? null : JSON.parse(change.error) }
  tell(s, task, change.claim, change.reportSource ?? '', () => ({ ...told, ...more }))
}

/** The counts of groups fall by the children that ended. */
function tally(s: Statement, won: readonly Won[]): MapGroupTuple[] {
  const ended = new Map<string, Won[]>()
  for (const one of won) {
    if (taskHasEnded(one.task.status)) ended.set(groupKey(one.task), [...(ended.get(groupKey(one.task)) ?? []), one])
  }
  return [...ended].flatMap(([key, some]) => {
    const group = s.live.get('map_groups', key)
    if (!group) return []
    const open = group.open - some.length
    const bytes = some.reduce(
      (sum, { change, task }) => sum + (task.status === 'succeeded' ? change.outputBytes : 0),
      0,
    )
    const closed = (group.made === group.total || group.ending !== null) && open <= 0
    const next = { ...group, open, output_bytes: group.output_bytes + bytes, closed_at: closed ? s.now : null }
    putGroup(s, next)
    return [next]
  })
}
