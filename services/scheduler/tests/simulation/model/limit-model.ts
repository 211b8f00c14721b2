import type { LimitedLeases } from '../../../src/db/limits/lease-limited.js'
import type { SlotKey } from '../../../src/db/limits/slots.js'
import type { Unparked } from '../../../src/db/limits/unpark.js'
import { admitTasks, type Candidate } from '../../../src/domain/limits/admit-tasks.js'
import { emptyWindow, type RateWindow, rateFreeAt } from '../../../src/domain/limits/rate-window.js'
import {
  isRate,
  limitsOfQueue,
  roomUnder,
  type Slot,
  slotName,
  type TaskLimit,
} from '../../../src/domain/limits/task-limits.js'
import { type DequeueRequest, QueuePart } from '../../../src/domain/queue.js'
import { lease, turn } from './lease-model.js'
import { unparkPlace } from './queue-model.js'
import { putSlot, slotOf } from './slot-model.js'
import { micro, type Statement } from './statement.js'
import type { QueueTuple, SlotTuple } from './tables.js'

const MARGIN = 100

const windowOf = (slot: SlotTuple | undefined): RateWindow =>
  slot?.starts ? (JSON.parse(slot.starts) as RateWindow) : emptyWindow

/** The four statements of this transaction as one: between them it holds the locks on all that it decides on. */
export function leaseLimited(s: Statement, dequeue: DequeueRequest): LimitedLeases {
  const fetch = dequeue.max + MARGIN
  const parts = [QueuePart.plain, QueuePart.limited]
  const rows = turn(s, { ...dequeue, max: fetch }, parts).filter(
    ({ task_id }) =>
      !s.locked('task_queue', task_id) && (s.reach('task_queue', task_id)?.part ?? QueuePart.parked) < QueuePart.parked,
  )
  if (rows.length === 0) return { leased: [], parked: [], taken: [], anyLimited: false, exhausted: true }
  const candidates = rows.map(
    (row): Candidate => ({
      taskId: row.task_id,
      projectId: row.project_id,
      limits: [...(row.part === QueuePart.limited ? limitsOf(s, row) : []), ...queueLimitsOf(s, row)],
    }),
  )
  const slots = lockSlots(s, candidates)
  const admission = admitTasks(candidates, slots, dequeue.max, s.now)
  const counted = (candidate: Candidate) => candidate.limits.filter((limit) => !isRate(limit))
  const holders = new Set(admission.leased.filter((one) => counted(one).length > 0).map(({ taskId }) => taskId))
  const places = admission.leased.map(({ taskId }) => ({ task_id: taskId }))
  const leased = lease(s, dequeue, places, (taskId) => holders.has(taskId))
  const won = new Set(leased.map(({ taskId }) => taskId))
  for (const candidate of admission.leased) take(s, candidate, won.has(candidate.taskId), admission.slots)
  for (const { candidate, lack } of admission.parked) park(s, candidate.taskId, lack.limit)
  return {
    leased,
    parked: admission.parked.map(({ candidate: { projectId }, lack }) => ({
      projectId,
      scope: lack.limit.scope,
      key: lack.limit.key,
      freeInMs: lack.freeAtMs === null ? null : lack.freeAtMs - s.now,
    })),
    taken: admission.leased.flatMap(({ limits }) => limits.map(({ scope }) => scope)),
    anyLimited: rows.some(({ part }) => part === QueuePart.limited),
    exhausted: candidates.length < fetch && admission.leased.length + admission.parked.length === candidates.length,
  }
}

const limitsOf = (s: Statement, row: QueueTuple): TaskLimit[] =>
  JSON.parse(s.seen.get('task_limits', row.task_id)?.limits ?? '[]') as TaskLimit[]

function queueLimitsOf(s: Statement, { project_id, queue }: QueueTuple): TaskLimit[] {
  const settings = s.seen.get('queues', `${project_id}/${queue}`)
  if (!settings) return []
  const { concurrency, rate_limit: rateLimit, rate_per_ms: ratePerMs } = settings
  return limitsOfQueue(queue, { concurrency, rateLimit, ratePerMs })
}

/** Rows that are missing are made first. */
function lockSlots(s: Statement, candidates: readonly Candidate[]): Map<string, Slot> {
  const slots = new Map<string, Slot>()
  for (const { projectId, limits } of candidates) {
    for (const { scope, key } of limits) {
      const known = slotOf(s, { projectId, scope, key })
      if (!known) putSlot(s, { project_id: projectId, scope, key, in_use: 0, starts: null, idle_at: s.now })
      slots.set(slotName(projectId, { scope, key }), { inUse: known?.in_use ?? 0, window: windowOf(known) })
    }
  }
  return slots
}

function take(
  s: Statement,
  { taskId, projectId, limits }: Candidate,
  won: boolean,
  after: ReadonlyMap<string, Slot>,
): void {
  for (const limit of limits) {
    const { scope, key } = limit
    const slot = slotOf(s, { projectId, scope, key })
    if (!slot) continue
    if (isRate(limit)) {
      const window = after.get(slotName(projectId, limit))?.window ?? emptyWindow
      putSlot(s, { ...slot, starts: JSON.stringify(window), idle_at: micro(s.now + window.perMs) })
    } else if (won) {
      s.live.put('slot_holds', `${taskId}/${scope}/${key}`, { task_id: taskId, project_id: projectId, scope, key })
      putSlot(s, { ...slot, in_use: slot.in_use + 1 })
    }
  }
}

function park(s: Statement, taskId: string, { scope, key, limit, perMs }: TaskLimit): void {
  const place = s.live.get('task_queue', taskId)
  if (!place) return
  const lacking = { parked_scope: scope, parked_key: key, parked_limit: limit, parked_per_ms: perMs ?? null }
  s.live.put('task_queue', taskId, { ...place, ...lacking, part: QueuePart.parked })
}

export function unpark(s: Statement, keys: readonly SlotKey[]): Unparked {
  const later: Unparked['later'][number][] = []
  let tasks = 0
  for (const { projectId, scope, key } of keys) {
    const waiting = [...s.seen.all('task_queue')]
      .filter((row) => row.project_id === projectId && row.parked_scope === scope && row.parked_key === key)
      .sort((a, b) => b.priority - a.priority || a.position - b.position)
    const head = waiting[0]
    if (!head) continue
    const slot = slotOf(s, { projectId, scope, key })
    const limit = head.parked_limit ?? 0
    const perMs = head.parked_per_ms ?? 0
    const terms = { scope, key, limit, ...(head.parked_per_ms === null ? {} : { perMs }) } as TaskLimit
    const room = roomUnder(terms, { inUse: slot?.in_use ?? 0, window: windowOf(slot) }, s.now)
    if (room > 0) {
      for (const place of waiting.slice(0, room)) {
        const latest = s.reach('task_queue', place.task_id)
        if (latest?.part !== QueuePart.parked || s.locked('task_queue', place.task_id)) continue
        unparkPlace(s, latest)
        tasks += 1
      }
    } else if (isRate(terms)) {
      later.push({ projectId, scope, key, freeInMs: rateFreeAt(windowOf(slot), { limit, perMs }, s.now) - s.now })
    }
  }
  return { tasks, later, next: null }
}

export function unparkAll(s: Statement, _after: SlotKey | null): Unparked {
  const keys = new Map<string, SlotKey>()
  for (const { project_id: projectId, parked_scope: scope, parked_key: key } of s.seen.all('task_queue')) {
    if (scope !== null && key !== null) keys.set(slotName(projectId, { scope, key }), { projectId, scope, key })
  }
  const inOrder = [...keys].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key)
  return unpark(s, inOrder)
}

/** Counts that are not what the holds say, set right. */
export function reconcileSlots(s: Statement): number {
  let wrong = removeStrayHolds(s)
  for (const slot of [...s.live.all('slots')]) {
    const { project_id, scope, key } = slot
    const mine = (one: { project_id: string; key: string }) => one.project_id === project_id && one.key === key
    const held =
      [...s.live.all('slot_holds')].filter((hold) => mine(hold) && hold.scope === scope).length +
      [...s.live.all('run_admissions')].filter(
        (place) => mine(place) && scope === 'workflow' && place.state === 'admitted',
      ).length
    if (isRate(slot) || held === slot.in_use) continue
    putSlot(s, { ...slot, in_use: held })
    wrong += 1
  }
  return wrong
}

/** Holds of attempts that do not run, places of runs that have ended. */
function removeStrayHolds(s: Statement): number {
  let removed = 0
  for (const { task_id, scope, key } of [...s.live.all('slot_holds')]) {
    if (s.live.get('tasks', task_id)?.status === 'running') continue
    s.live.remove('slot_holds', `${task_id}/${scope}/${key}`)
    removed += 1
  }
  for (const { run_id } of [...s.live.all('run_admissions')]) {
    const run = s.live.get('runs', run_id)
    if (run && run.finished_at === null) continue
    s.live.remove('run_admissions', run_id)
    removed += 1
  }
  return removed
}
