import { type LeasedRow, TIMEOUT_GRACE_MS } from '../../../src/db/lease-fragment.js'
import {
  type ExpiredTask,
  type HeldTask,
  type LostTask,
  lostWorker,
  MAX_LOSSES,
  type Requeued,
  type StoppedTask,
} from '../../../src/db/requeue-tasks.js'
import { type DequeueRequest, EVERY_QUEUE, QueuePart } from '../../../src/domain/queue.js'
import { enqueue } from './queue-model.js'
import { freeHolds } from './slot-model.js'
import { micro, type Statement } from './statement.js'
import type { QueueSettingsTuple, QueueTuple, RunTuple, TaskTuple } from './tables.js'

export const deadlineOf = (now: number, timeoutMs: number | null): number | null =>
  timeoutMs === null ? null : micro(now + timeoutMs + TIMEOUT_GRACE_MS)

const inOrder = (a: QueueTuple, b: QueueTuple): number => b.priority - a.priority || a.position - b.position

/** What a place in the queue costs its share, and whose share that is. */
function sharesOf(s: Statement, rows: readonly QueueTuple[]) {
  const byShare = new Map<string, QueueTuple[]>()
  const settings = (row: QueueTuple) => s.seen.get('queues', `${row.project_id}/${row.queue}`)
  const shareOf = (row: QueueTuple) => ((settings(row)?.weight ?? null) === null ? '' : row.queue)
  for (const row of rows) byShare.set(shareOf(row), [...(byShare.get(shareOf(row)) ?? []), row])
  return [...byShare].flatMap(([share, members]) =>
    members.sort(inOrder).map((row, place) => ({
      row,
      share,
      cost: (place + 1) / (settings(row)?.weight ?? 1),
      batch: settings(row)?.profile === 'batch',
    })),
  )
}

/** At most so many of each (project, queue, uses), as the statement walks them. */
function firstOfEach(rows: readonly QueueTuple[], max: number): QueueTuple[] {
  const kinds = new Map<string, QueueTuple[]>()
  for (const row of rows) {
    const kind = `${row.queue}/${row.uses}/${row.part}`
    kinds.set(kind, [...(kinds.get(kind) ?? []), row])
  }
  return [...kinds.values()].flatMap((members) => members.sort(inOrder).slice(0, max))
}

/** A plain dequeue leaves queues with limits alone. */
const plainOnly = [QueuePart.plain]
const isLimited = (settings: QueueSettingsTuple | undefined): boolean =>
  settings !== undefined && (settings.concurrency !== null || settings.rate_limit !== null)

/** The places in the queue that are this worker's turn, before locks. */
export function turn(s: Statement, dequeue: DequeueRequest, parts: readonly number[] = plainOnly): QueueTuple[] {
  if (dequeue.max <= 0) return []
  if (dequeue.sessionId === null || s.seen.get('sessions', dequeue.sessionId)?.state !== 'active') return []
  const every = dequeue.queues.includes(EVERY_QUEUE)
  const byProject = new Map<string, QueueTuple[]>()
  for (const row of s.seen.all('task_queue')) {
    if (!parts.includes(row.part)) continue
    if (dequeue.projectId !== null && row.project_id !== dequeue.projectId) continue
    if (!dequeue.executors.includes(row.uses) || !(every || dequeue.queues.includes(row.queue))) continue
    const settings = s.seen.get('queues', `${row.project_id}/${row.queue}`)
    if (settings?.paused || (parts === plainOnly && isLimited(settings))) continue
    byProject.set(row.project_id, [...(byProject.get(row.project_id) ?? []), row])
  }
  const { projects, ahead, shares } = dequeue.virtualTimes
  const ranked = [...byProject].flatMap(([project, rows]) => {
    const lead = ahead[projects.indexOf(project)] ?? 0
    const leadOf = (share: string) =>
      shares.ahead[shares.projects.findIndex((id, i) => id === project && shares.queues[i] === share)] ?? 0
    return sharesOf(s, firstOfEach(rows, dequeue.max))
      .sort(
        (a, b) =>
          Number(a.batch) - Number(b.batch) ||
          leadOf(a.share) + a.cost - leadOf(b.share) - b.cost ||
          inOrder(a.row, b.row),
      )
      .map(({ row }, place) => ({ row, rank: lead + place + 1 }))
  })
  ranked.sort((a, b) => a.rank - b.rank || inOrder(a.row, b.row))
  return ranked.slice(0, dequeue.max).map(({ row }) => row)
}

/** Those of them that are neither locked nor gone. */
export const picked = (s: Statement, turns: readonly QueueTuple[]): QueueTuple[] =>
  turns.filter(
    (row) => !s.locked('task_queue', row.task_id) && s.reach('task_queue', row.task_id)?.part === QueuePart.plain,
  )

const facts = (task: TaskTuple, run: RunTuple) => ({
  taskId: task.id,
  runId: task.run_id,
  projectId: task.project_id,
  workflow: run.workflow,
  version: run.version,
  key: task.key,
  index: task.idx,
  uses: task.uses,
  queue: task.queue,
  status: task.status,
  attempt: task.attempt,
  maxAttempts: task.max_attempts,
})

function tellTask(s: Statement, task: TaskTuple, more: Record<string, unknown> = {}): void {
  const run = s.seen.get('runs', task.run_id)
  if (!run) return
  const id = s.live.next('events')
  s.live.put('events', id, {
    id,
    topic: 'task.updated',
    key: task.run_id,
    subject: task.id,
    source: 'scheduler',
    time: s.now,
    sequence: task.rev,
    traceparent: run.traceparent,
    data: { ...facts(task, run), ...more },
  })
}

/** Leases these places in the queue; a task that is not queued any more only leaves it. */
export function lease(
  s: Statement,
  dequeue: DequeueRequest,
  places: readonly { task_id: string }[],
  holds: (taskId: string) => boolean = () => false,
): LeasedRow[] {
  const leased: LeasedRow[] = []
  for (const place of places) {
    s.live.remove('task_queue', place.task_id)
    const task = s.reach('tasks', place.task_id)
    if (task?.status !== 'queued') continue
    const next: TaskTuple = {
      ...task,
      status: 'running',
      rev: task.rev + 1,
      token: task.token + 1,
      lease_id: s.newLeaseId(task.id),
      session_id: dequeue.sessionId,
      worker_id: dequeue.workerId,
      started_at: s.now,
      deadline_at: deadlineOf(s.now, task.timeout_ms),
      holds_slots: holds(task.id) || task.holds_slots,
    }
    s.live.put('tasks', task.id, next)
    tellTask(s, next, { workerId: next.worker_id })
    const run = s.seen.get('runs', task.run_id)
    if (run) leased.push(detail(s, next, run))
  }
  return leased
}

function detail(s: Statement, task: TaskTuple, run: RunTuple): LeasedRow {
  const input = s.seen.get('task_payloads', task.id)?.input ?? null
  return {
    taskId: task.id,
    runId: task.run_id,
    projectId: task.project_id,
    workflow: run.workflow,
    versionId: run.version_id,
    ordinal: task.ordinal,
    key: task.key,
    idx: task.idx,
    uses: task.uses,
    queue: task.queue,
    attempt: task.attempt,
    maxAttempts: task.max_attempts,
    token: task.token,
    leaseId: task.lease_id ?? '',
    timeoutMs: task.timeout_ms,
    generation: run.generation,
    traceparent: run.traceparent,
    input: input === null ? null : JSON.parse(input),
  }
}

export function leaseTasks(s: Statement, dequeue: DequeueRequest): LeasedRow[] {
  return lease(s, dequeue, picked(s, turn(s, dequeue)))
}

interface Loser {
  readonly task: TaskTuple
  readonly wait?: HeldTask['wait']
  readonly keepsPlace?: boolean | undefined
  readonly given?: number
}

function requeue(s: Statement, losers: readonly Loser[], loss: number): Requeued {
  const lost: LostTask[] = []
  for (const { task, wait, keepsPlace, given = null } of losers) {
    const next: TaskTuple = {
      ...task,
      status: 'queued',
      rev: task.rev + 1,
      token: task.token + 1,
      lease_id: null,
      session_id: null,
      started_at: null,
      deadline_at: null,
      losses: task.losses + loss,
      holds_slots: false,
    }
    s.live.put('tasks', task.id, next)
    const run = s.reach('runs', task.run_id)
    const queued = !wait && run && run.status !== 'paused' && enqueue(s, next, task.holds_slots, keepsPlace ? 1 : loss)
    tellTask(s, next, loss > 0 ? { error: lostWorker } : {})
    const { id: task_id, run_id, session_id, project_id } = task
    const part = queued ? s.live.get('task_queue', task_id)?.part : undefined
    const queued_as = part === undefined ? null : part === QueuePart.limited ? 'limited' : 'plain'
    const session = loss > 0 && session_id !== null ? s.seen.get('sessions', session_id) : undefined
    const silent_s = session ? micro(s.now - session.seen_at) / 1000 : null
    lost.push({ run_id, project_id, queue: task.queue, given, silent_s, queued_as })
    if (wait) s.live.put('held_back', task_id, { task_id, run_id, until: micro(s.now + wait.ms), detail: wait.detail })
  }
  const freed = freeHolds(
    s,
    losers.map(({ task }) => task.id),
  )
  return { lost, freed, stopped: [] }
}

export function handBackTasks(s: Statement, held: readonly HeldTask[]): Requeued {
  const losers = new Map<string, Loser>()
  const stopped = new Map<string, StoppedTask>()
  for (const [given, { taskId, leaseId, token, sessionId, wait, keepsPlace }] of held.entries()) {
    const task = s.reach('tasks', taskId)
    const seen = s.seen.get('tasks', taskId)
    const mine = (row: TaskTuple | undefined) =>
      row?.status === 'running' &&
      row.lease_id === leaseId &&
      row.token === token &&
      row.session_id !== null &&
      (sessionId === undefined || row.session_id === sessionId)
    if (!task || !mine(seen)) continue
    const cancelled = s.reach('runs', task.run_id)?.status === 'cancelling' && !task.key.endsWith('.compensate')
    if (cancelled) stopped.set(task.id, { run_id: task.run_id, given })
    else if (mine(task)) losers.set(task.id, { task, wait, keepsPlace, given })
  }
  return { ...requeue(s, [...losers.values()], 0), stopped: [...stopped.values()] }
}

export const lives = (s: Statement, sessionId: string | null): boolean => {
  const session = sessionId === null ? undefined : s.seen.get('sessions', sessionId)
  return session !== undefined && session.state !== 'ended'
}

/** Whose worker is gone, as the statement's snapshot shows it. */
export function lostTasks(s: Statement, limit: number): TaskTuple[] {
  const lost: TaskTuple[] = []
  for (const task of s.seen.all('tasks')) {
    if (isLost(s, task, s.seen.get('runs', task.run_id))) lost.push(task)
    if (lost.length === limit) break
  }
  return lost
}

const isLost = (s: Statement, task: TaskTuple, run: RunTuple | undefined): boolean =>
  task.status === 'running' &&
  !lives(s, task.session_id) &&
  run !== undefined &&
  (run.status !== 'cancelling' || task.key.endsWith('.compensate')) &&
  task.losses < MAX_LOSSES

export function requeueLostTasks(s: Statement, limit: number): Requeued {
  const free = lostTasks(s, limit).flatMap(({ id }) => {
    const task = s.reach('tasks', id)
    return task && !s.locked('tasks', id) && isLost(s, task, s.reach('runs', task.run_id)) ? [task] : []
  })
  return requeue(
    s,
    free.map((task) => ({ task })),
    1,
  )
}

/** Lets tasks into their queue whose wait is over. */
export function releaseDeferred(s: Statement, limit: number): number {
  const due = s
    .reachAll(
      'held_back',
      ({ until }) => until <= s.now,
      ({ task_id }) => task_id,
    )
    .sort((a, b) => a.until - b.until)
    .slice(0, limit)
  for (const { task_id } of due) {
    s.live.remove('held_back', task_id)
    const task = s.seen.get('tasks', task_id)
    const run = task && s.reach('runs', task.run_id)
    if (task?.status === 'queued' && run && run.status !== 'paused' && run.status !== 'queued') enqueue(s, task)
  }
  return due.length
}

export function findExpiredTasks(s: Statement, limit: number): ExpiredTask[] {
  const all = [...s.seen.all('tasks')].filter((task) => task.status === 'running')
  const found = (why: ExpiredTask['why'], condition: (task: TaskTuple) => boolean): ExpiredTask[] =>
    all
      .filter(condition)
      .slice(0, limit)
      .map(({ run_id, id, token, lease_id, losses }) => ({ run_id, id, token, lease_id: lease_id ?? '', losses, why }))
  return [
    ...found('timeout', (task) => task.deadline_at !== null && task.deadline_at < s.now),
    ...found('lost', (task) => !lives(s, task.session_id) && task.losses >= MAX_LOSSES),
  ]
}
