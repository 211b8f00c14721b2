import type { SlotKey } from '../db/limits/slots.js'
import type { TaskRow } from '../db/load-runs.js'
import { emptyWriteRows } from '../db/write-rows.js'
import { type Decision, decide } from '../domain/decide.js'
import { owedBy } from './build-messages.js'
import { addRows } from './build-rows.js'
import type { EngineContext, StopRequest } from './engine-context.js'
import { type LaneItem, type LaneOutcome, leaseOf, timerOf } from './lane-item.js'
import { enteredBy, limitedTasks, queuedBy } from './limits/limited-tasks.js'
import { payloadTaskIds, runStateFromRows } from './run-states.js'
import type { RunTransaction } from './store.js'
import { holds, verdictOf } from './verdict.js'

interface ColdResult {
  readonly outcomes: LaneOutcome[]
  readonly decision: Decision | null
  readonly tasks: readonly TaskRow[]
  /** Runs that are owed something. */
  readonly owed: readonly string[]
  readonly limited: ReadonlySet<number>
  readonly freed: readonly SlotKey[]
}

const unchanged = (outcomes: LaneOutcome[]): ColdResult => ({
  outcomes,
  decision: null,
  tasks: [],
  owed: [],
  limited: new Set(),
  freed: [],
})

/**
 * The road for decisions that depend on queued-or-running: a plain transaction that locks the run, its places in the
 * queue and its live tasks, decides on what it read, writes and commits.
 */
export async function decideUnderLocks(
  engine: EngineContext,
  runId: string,
  items: readonly LaneItem[],
): Promise<LaneOutcome[]> {
  // The plan may have to be fetched from another service: not while locks are held.
  const known = await engine.states.get(engine.store, [runId])
  if (known.failed.has(runId)) throw known.failed.get(runId)
  engine.states.drop(runId)
  const result = await engine.store.transaction((tx) => inTransaction(engine, tx, runId, items))
  if (result.decision) afterCommit(engine, result.decision, result)
  if (result.owed.length > 0) engine.after.inbox(result.owed)
  // The loop behind finds nothing when there was nothing large.
  const { decision } = result
  if (decision?.state.heavy || decision?.effects.run?.output) engine.after.outputs()
  return result.outcomes
}

async function inTransaction(
  engine: EngineContext,
  tx: RunTransaction,
  runId: string,
  items: readonly LaneItem[],
): Promise<ColdResult> {
  const locked = await tx.lockRun(runId)
  if (!locked) return unchanged(items.map(() => 'absent'))
  const { run, tasks } = locked
  const rows = new Map(tasks.map((row) => [row.id, row]))
  // Under the lock of their run no timers go.
  const standing = await tx.findStandingTimers(items.flatMap((item) => timerOf(item) ?? []))
  const outcomes = items.map((item): LaneOutcome | null => {
    const proof = leaseOf(item)
    const timerId = timerOf(item)
    if (timerId !== undefined && !standing.has(timerId)) return 'applied'
    return proof && !holds(rows.get(proof.taskId), proof.lease) ? verdictOf(item, rows.get(proof.taskId)) : null
  })
  const valid = items.filter((_, i) => outcomes[i] === null)
  const plan = await engine.plans.forRun(run.version_id, run.queue_defaults)
  const payloads = await tx.loadPayloads(payloadTaskIds(plan, tasks))
  const failures = await engine.outputs?.fill(payloads)
  for (const failure of failures?.values() ?? []) throw failure
  const signals = (plan.hasSignals ? await tx.loadSignals([runId]) : undefined)?.get(runId) ?? []
  const admission = plan.concurrency ? await tx.loadAdmission(runId) : 'none'
  const before = runStateFromRows(run, tasks, { payloads, signals, admission }, true)
  const decision = decide(
    before,
    valid.map((item) => item.command),
    plan,
  )
  const answered = outcomes.map((outcome) => outcome ?? 'applied')
  if (decision.state.rev === before.rev) return unchanged(answered)
  const write = emptyWriteRows()
  const limited = limitedTasks(plan, before.projectId, engine.queueLimits, tasks)
  const decided = { before, decision, plan, birth: null, items: valid, grants: new Map(), limited }
  addRows(write, decided, engine.env, engine.outputs !== undefined)
  const result = await tx.writeBatch(write)
  if (!result.runs.has(runId)) throw new Error(`run ${runId} changed under its own lock`)
  return { outcomes: answered, decision, tasks, owed: owedBy(decided), limited, freed: result.freed }
}

function afterCommit(engine: EngineContext, decision: Decision, { tasks, limited, freed }: ColdResult): void {
  const { state, effects } = decision
  engine.states.keep(state)
  const queued = queuedBy(decision, limited, new Map())
  if (queued.includes('limited')) engine.after.queuedLimited()
  else if (queued.length > 0) engine.after.queued()
  const moved = [...freed, ...enteredBy(decision)]
  if (moved.length > 0) engine.after.freed(moved)
  if (effects.newTimers.length > 0) engine.after.timersSet()
  if (effects.maps.length > 0) {
    engine.after.maps()
    if (limited.size > 0) engine.after.queuedLimited()
    else engine.after.queued()
    engine.after.timersSet()
  }
  const stops = effects.stopRequests.flatMap((index): StopRequest[] => {
    const row = tasks[index]
    if (!row?.session_id || !row.lease_id) return []
    return [{ sessionId: row.session_id, taskId: row.id, leaseId: row.lease_id, reason: state.reason ?? 'cancelled' }]
  })
  if (stops.length > 0) engine.after.stop(stops)
  engine.after.changed([state.id])
  engine.after.told()
}
