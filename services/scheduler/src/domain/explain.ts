import { lookalike } from '@millrace/definition'
import { approvalTerms } from './approval.js'
import { isRate, type Lack } from './limits/task-limits.js'
import type { TaskStatus } from './task-state.js'
import { signalName } from './waiting.js'

export type BlockerKind =
  | 'dependency'
  | 'timer'
  | 'concurrency'
  | 'rate_limit'
  | 'no_worker'
  | 'queue_paused'
  | 'worker_paused'
  | 'run_paused'
  | 'workflow_paused'
  | 'approval'
  | 'signal'
  | 'circuit_open'
  | 'position'

export interface Blocker {
  readonly kind: BlockerKind
  readonly detail: string
}

export interface ExplainedTask {
  readonly key: string
  /** Of a map item. */
  readonly index?: number
  readonly status: TaskStatus
  readonly why: string
  readonly blockers: readonly Blocker[]
}

/** What the engine itself goes by when it does not run a task now. */
export interface TaskFacts {
  readonly key: string
  readonly index?: number
  readonly status: TaskStatus
  readonly uses: string
  readonly queue: string
  readonly workerId: string | null
  readonly needs: readonly { key: string; status: TaskStatus }[]
  /** The key of the task that it compensates, until its run compensates. */
  readonly compensates?: string
  /** When its timer is due, as text. */
  readonly dueAt: string | null
  /** Tasks before it in its queue; null when it stands in none. */
  readonly ahead: number | null
  /** The best that can be said of live workers that execute its `uses` from its queue. */
  readonly workers: 'active' | 'paused' | 'none'
  readonly queuePaused: boolean
  /** The first of its limits that lets it not start now. */
  readonly lack: Lack | null
  /** Its run waits for room under its workflow's limit. */
  readonly runWaits: Blocker | null
  readonly runPaused: boolean
  /** When the run starts, if it is delayed. */
  readonly runStartsAt: string | null
  /** The run that it stands for. */
  readonly child?: { readonly runId: string; readonly status: string }
  /** What a worker said when it handed the task back for a while; null when none did. */
  readonly heldBack: { readonly until: string; readonly detail: string } | null
  /** What it was given, as JSON text. */
  readonly input: string
  /** How far a map is. */
  readonly children: { readonly total: number; readonly ended: number; readonly failed: number } | null
}

export const runStarts = (at: string): Blocker => ({ kind: 'timer', detail: `the run starts at ${at}` })

export const runPaused: Blocker = { kind: 'run_paused', detail: 'the run is paused' }

const ended = new Set<TaskStatus>(['succeeded', 'failed', 'skipped', 'cancelled'])

export function explainTask(task: TaskFacts): ExplainedTask {
  const blockers = blockersOf(task)
  const { key, index, status } = task
  return { key, ...(index === undefined ? {} : { index }), status, why: whyOf(task, blockers), blockers }
}

function blockersOf(task: TaskFacts): Blocker[] {
  switch (task.status) {
    case 'pending':
      return pendingBlockers(task)
    case 'delayed':
      if (task.runPaused) return [runPaused]
      if (task.runWaits) return [task.runWaits]
      return [{ kind: 'timer', detail: task.dueAt ? `tries again at ${task.dueAt}` : 'tries again soon' }]
    case 'waiting':
      return [waitingBlocker(task)]
    case 'queued':
      return queuedBlockers(task)
    default:
      return []
  }
}

/** What it needs, or else what keeps its run from starting. */
function pendingBlockers(task: TaskFacts): Blocker[] {
  if (task.compensates !== undefined) return []
  const needs = task.needs.filter((need) => !ended.has(need.status))
  if (needs.length > 0) {
    return needs.map((need) => ({ kind: 'dependency', detail: `waits for ${need.key}, which is ${need.status}` }))
  }
  if (task.runPaused) return [runPaused]
  if (task.runStartsAt !== null) return [runStarts(task.runStartsAt)]
  return task.runWaits ? [task.runWaits] : []
}

function queuedBlockers(task: TaskFacts): Blocker[] {
  if (task.runPaused) return [runPaused]
  if (task.runWaits) return [task.runWaits]
  const blockers: Blocker[] = task.lack ? [lackBlocker(task.lack)] : []
  if (task.queuePaused) blockers.push({ kind: 'queue_paused', detail: `the queue ${task.queue} is paused` })
  if (task.heldBack) {
    blockers.push({ kind: 'circuit_open', detail: `${task.heldBack.detail}; tries again at ${task.heldBack.until}` })
  }
  const asked = `${task.uses} from the queue ${task.queue}`
  if (task.workers === 'none') {
    const meant = lookalike(task.uses)
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`
    blockers.push({ kind: 'no_worker', detail: `no live worker executes ${asked}${hint}` })
  }
  if (task.workers === 'paused') {
    blockers.push({ kind: 'worker_paused', detail: `every live worker that executes ${asked} is paused or draining` })
  }
  if (blockers.length > 0) return blockers
  return [{ kind: 'position', detail: `${task.ahead ?? 0} tasks stand before it in the queue ${task.queue}` }]
}

function lackBlocker({ limit, inUse, freeAtMs }: Lack): Blocker {
  const whose = limit.scope.startsWith('queue') ? `the queue ${limit.key}` : `the key ${limit.key}`
  if (!isRate(limit)) {
    return { kind: 'concurrency', detail: `${whose} is in use: ${inUse} of ${limit.limit} at once` }
  }
  const free = freeAtMs === null ? 'soon' : `at ${new Date(freeAtMs).toISOString()}`
  const perMs = limit.perMs ?? 0
  return {
    kind: 'rate_limit',
    detail: `${whose} had ${limit.limit} starts within ${perMs} ms; the next may start ${free}`,
  }
}

/** A run that waits to be admitted, by what the engine admits it by. */
export const runWaitsFor = (key: string, inUse: number, limit: number): Blocker => ({
  kind: 'concurrency',
  detail: `waits for a run under ${key} to end: ${inUse} of ${limit} are under way`,
})

function waitingBlocker(task: TaskFacts): Blocker {
  if (task.uses === 'map') return mapBlocker(task)
  if (task.uses === 'approval') return approvalBlocker(task.input)
  if (task.uses === 'signal') return { kind: 'signal', detail: `waits for the signal ${signalName(task.input)}` }
  if (task.uses === 'workflow') return childBlocker(task)
  return { kind: 'timer', detail: task.dueAt ? `waits until ${task.dueAt}` : 'waits for its time' }
}

function approvalBlocker(input: string): Blocker {
  const { role, message } = approvalTerms(input)
  const asked = message === '' ? '' : `: ${message}`
  return { kind: 'approval', detail: `waits for somebody with the role ${role} to approve or reject it${asked}` }
}

function childBlocker({ child, runPaused: paused }: TaskFacts): Blocker {
  if (child) return { kind: 'dependency', detail: `waits for the child run ${child.runId}, which is ${child.status}` }
  return paused ? runPaused : { kind: 'dependency', detail: 'waits for its child run to be made' }
}

function mapBlocker({ children }: TaskFacts): Blocker {
  if (!children) return { kind: 'dependency', detail: 'waits for its children' }
  const { ended, total, failed } = children
  const failures = failed > 0 ? `, ${failed} of them failed` : ''
  return { kind: 'dependency', detail: `waits for its children: ${ended} of ${total} have ended${failures}` }
}

function whyOf(task: TaskFacts, blockers: readonly Blocker[]): string {
  if (blockers.length > 0) return blockers.map((blocker) => blocker.detail).join('; ')
  if (task.status === 'running') return `runs on ${task.workerId ?? 'a worker'}`
  if (ended.has(task.status)) return `has ${task.status === 'skipped' ? 'been skipped' : task.status}`
  if (task.compensates !== undefined) return `compensates ${task.compensates}, if the run fails or is cancelled`
  return 'is about to move'
}
