import { unprocessable } from '@millrace/errors'
import type { ChildChangeRow } from '../db/child-rows.js'
import type { ChildTimerRow } from '../db/make-children.js'
import type { ChildRow } from '../db/map-groups.js'
import { childPlace } from '../domain/child-id.js'
import type { Command, SucceedCommand } from '../domain/commands.js'
import { type Failure, failure } from '../domain/failure.js'
import { isLargeOutput, outputPointer } from '../domain/large-output.js'
import { readyChild, type SettledChild, settleChild } from '../domain/map-child.js'
import { hasTimers } from '../domain/settle.js'
import type { RunState } from '../domain/state.js'
import { readInput } from '../domain/task-input.js'
import { taskHasEnded } from '../domain/task-state.js'
import { sleepMs } from '../domain/waiting.js'
import type { QueuedTask } from './announce.js'
import type { EngineContext, StopRequest } from './engine-context.js'
import type { ShardItem } from './shard-item.js'

/** Whether a command is for a map's child. A retry is for its run, which may have to be reopened. */
export function isAboutChild({ command }: ShardItem): boolean {
  if (command.kind === 'retry' || !('taskId' in command) || command.taskId === undefined) return false
  return childPlace(command.taskId) !== undefined
}

/** The run, as it was at this rev or later: what a child may see of it had happened by then. */
export async function stateSince(engine: EngineContext, runId: string, rev: number): Promise<RunState> {
  for (const attempt of ['cached', 'read']) {
    const { states, failed } = await engine.states.get(engine.store, [runId])
    if (failed.has(runId)) throw failed.get(runId)
    const state = states.get(runId)
    if (state && state.rev >= rev) return state
    if (attempt === 'cached') engine.states.drop(runId)
  }
  throw new Error(`run ${runId} is not there at rev ${rev}`)
}

/** What becomes of a child by a command. */
export interface ChildDecision {
  readonly change: ChildChangeRow
  readonly timers: readonly ChildTimerRow[]
  /** The attempt that failed has timers, which go with it. */
  readonly dropsTimers?: boolean
  readonly stop?: StopRequest
  /** It goes into the queue. */
  readonly queued?: QueuedTask
}

const blank = {
  token: null,
  leaseId: null,
  sessionId: null,
  attempt: null,
  error: null,
  errorClass: null,
  attemptFailed: false,
  fence: false,
  output: null,
  outputBytes: 0,
  input: null,
  limits: null,
  limited: false,
  deadLetterId: null,
  retryDelayMs: 0,
  timerId: null,
  claim: null,
  reportSource: null,
  reportOutput: null,
  durationMs: 0,
}

/** A report of success needs no look at the row: the statement checks the lease. */
export function succeedChild({ command, report, runId }: ShardItem): ChildDecision | undefined {
  const ordinal = command.kind === 'succeed' ? childPlace(command.taskId)?.ordinal : undefined
  if (command.kind !== 'succeed' || ordinal === undefined) return undefined
  const { lease, output, taskId: id } = command
  const change: ChildChangeRow = {
    ...blank,
    ...{ id, runId, ordinal, expected: 'running', status: 'succeeded' },
    ...{ token: lease.token, leaseId: lease.leaseId, sessionId: lease.sessionId ?? null },
    output,
    outputBytes: output === null ? 0 : Buffer.byteLength(output),
    ...reportOf('task.completed', report),
    reportOutput: publishedOutput(command),
  }
  return { change, timers: [] }
}

/** Events carry no large text: what is kept as an artifact is told as such. */
function publishedOutput({ output, artifact }: SucceedCommand): string | null {
  if (artifact) return outputPointer(artifact)
  return output !== null && isLargeOutput(output) ? null : output
}

const reportOf = (topic: string, report: ShardItem['report']) =>
  report && !report.published
    ? { claim: topic, reportSource: `worker:${report.workerId}`, durationMs: report.durationMs }
    : {}

/** Everything else is decided on the row. Undefined when there is nothing left to do. */
export async function decideChild(
  engine: EngineContext,
  item: ShardItem,
  row: ChildRow,
): Promise<ChildDecision | undefined> {
  const { command } = item
  switch (command.kind) {
    case 'fail':
    case 'expire':
      return failRunning(engine, item, command, row)
    case 'retry-due':
      return row.status === 'delayed' && !row.held ? beginAgain(engine, row) : undefined
    case 'wake':
      return row.status === 'waiting' ? wake(engine, row) : undefined
    case 'task-timeout':
      return row.status === 'waiting' ? outOfTime(engine, row, 'task_timeout', 'it took too long') : undefined
    case 'queue-timeout':
      if (row.status !== 'queued') return undefined
      return outOfTime(engine, row, 'queue_timeout', 'no worker took the task in time')
    case 'total-timeout':
      if (taskHasEnded(row.status)) return undefined
      return outOfTime(engine, row, 'total_timeout', 'all attempts together took longer than the task may')
    default:
      return undefined
  }
}

async function failRunning(
  engine: EngineContext,
  item: ShardItem,
  command: Extract<Command, { kind: 'fail' | 'expire' }>,
  row: ChildRow,
): Promise<ChildDecision> {
  const { states, failed } = await engine.states.get(engine.store, [row.run_id])
  if (failed.has(row.run_id)) throw failed.get(row.run_id)
  const state = states.get(row.run_id)
  const plan = await engine.plans.forRun(state?.versionId ?? '', state?.queueDefaults ?? null)
  const { lease, error, random } = command
  const { attempt, max_attempts: maxAttempts } = row
  const final = command.kind === 'expire' && command.final
  const planned = plan.tasks[row.ordinal]?.child
  const retryAfterMs = command.kind === 'fail' ? command.retryAfterMs : undefined
  const step = settleChild(planned, { attempt, maxAttempts, random }, error, final, retryAfterMs)
  const change: ChildChangeRow = {
    ...failedChange(engine, row, step),
    ...{ expected: 'running', token: lease.token, leaseId: lease.leaseId, sessionId: lease.sessionId ?? null },
    fence: command.kind === 'expire',
    ...reportOf('task.failed', item.report),
  }
  return { change, timers: [], dropsTimers: hasTimers(planned) }
}

/** As far as the row tells; who holds it is up to the caller. */
function failedChange(engine: EngineContext, row: ChildRow, step: SettledChild): ChildChangeRow {
  return {
    ...blank,
    ...{ id: row.id, runId: row.run_id, ordinal: row.ordinal, expected: row.status, token: row.token },
    ...{ status: step.status, attempt: step.attempt, retryDelayMs: step.delayMs, attemptFailed: true },
    ...{ error: JSON.stringify(step.error), errorClass: step.error.class, deadLetterId: engine.env.newId() },
  }
}

async function beginAgain(engine: EngineContext, row: ChildRow): Promise<ChildDecision> {
  const { step, limited, place } = await nextAttempt(engine, row)
  if ('error' in step) return { change: failedChange(engine, row, step), timers: [] }
  const { status, attempt, input = null } = step
  const limits = step.limits ? JSON.stringify(step.limits) : null
  const change: ChildChangeRow = {
    ...blank,
    ...{ id: row.id, runId: row.run_id, ordinal: row.ordinal, expected: 'delayed', token: row.token },
    ...{ status, attempt, input, limits, limited },
  }
  const timers = step.timers.map((timer) => ({ taskId: row.id, ...timer }))
  return { change, timers, ...(status === 'queued' ? { queued: place } : {}) }
}

async function nextAttempt(engine: EngineContext, row: ChildRow) {
  const { run_id: runId, ordinal, idx: index } = row
  const state = await stateSince(engine, runId, row.run_rev)
  const plan = await engine.plans.forRun(state.versionId, state.queueDefaults)
  const item = (await engine.mapItems.get(runId, ordinal))[index]
  const { attempt, max_attempts: maxAttempts } = row
  const random = engine.env.random()
  const step = readyChild(state, plan, { ordinal, index, item, attempt: attempt + 1, maxAttempts, random })
  const child = plan.tasks[ordinal]?.child
  const { projectId } = state
  const { queue = '', uses = '' } = child ?? {}
  const limited = child?.limits !== undefined || engine.queueLimits.has(projectId, queue)
  return { step, limited, place: { runId, projectId, taskId: row.id, queue, uses } }
}

async function wake(engine: EngineContext, row: ChildRow): Promise<ChildDecision> {
  const state = await stateSince(engine, row.run_id, row.run_rev)
  const plan = await engine.plans.forRun(state.versionId, state.queueDefaults)
  const stored = (await engine.store.loadPayloads([row.id])).get(row.id)?.input ?? null
  const { input } = readInput(plan.tasks[row.ordinal], row.idx, stored)
  const output = JSON.stringify({ sleptMs: sleepMs(input) ?? 0 })
  const change: ChildChangeRow = {
    ...blank,
    ...{ id: row.id, runId: row.run_id, ordinal: row.ordinal, expected: 'waiting', status: 'succeeded' },
    ...{ output, outputBytes: output.length },
  }
  return { change, timers: [] }
}

/** Finally failed, wherever it stands. */
function outOfTime(engine: EngineContext, row: ChildRow, code: string, message: string): ChildDecision {
  const error: Failure = failure(code, message, 'timeout')
  const change = failedChange(engine, row, { status: 'failed', attempt: row.attempt, error, delayMs: 0 })
  if (row.status !== 'running') return { change, timers: [], dropsTimers: true }
  const { session_id: sessionId, lease_id: leaseId, id: taskId } = row
  const stop = sessionId && leaseId ? { stop: { sessionId, leaseId, taskId, reason: 'timeout' } } : {}
  return { change: { ...change, fence: true }, timers: [], dropsTimers: true, ...stop }
}

export async function childInput(engine: EngineContext, taskId: string): Promise<string | undefined> {
  const row = (await engine.store.loadChildren([taskId])).get(taskId)
  if (!row) return undefined
  const { step } = await nextAttempt(engine, row)
  if ('error' in step) throw unprocessable('expression', step.error.message)
  return step.input
}
