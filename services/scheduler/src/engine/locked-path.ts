import type { TaskRow } from '../db/load-runs.js'
import type { MapPlace } from '../db/map-groups.js'
import { decide } from '../domain/decide.js'
import { itemPlace } from '../domain/item-id.js'
import type { RunState } from '../domain/state.js'
import type { Commit } from './announce.js'
import { addItem } from './build-items.js'
import { addRows } from './build-rows.js'
import { commitOf } from './commit-of.js'
import type { DecidedRun } from './decided-run.js'
import type { EngineContext, StopRequest } from './engine-context.js'
import type { EvaluationBudget } from './evaluation-budget.js'
import { type DecidedItem, decideOnRow, itemOf, rowOf } from './item-units.js'
import { holds, outcomeOf } from './lease-outcome.js'
import { limitedTasks } from './limits/limited-tasks.js'
import { awaitedRunIds, payloadTaskIds, runStateFromRows } from './run-states.js'
import {
  isCalledOff,
  leaseOf,
  type Outcomes,
  type Pending,
  type ShardItem,
  type ShardOutcome,
  timerOf,
} from './shard-item.js'
import type { RunTransaction } from './store.js'

interface LockedResult {
  readonly outcomes: ShardOutcome[]
  /** Absent when there was nothing to write. */
  readonly written?: { readonly state: RunState; readonly commit: Commit }
}

/**
 * The path for decisions that depend on queued-or-running: a plain transaction that locks the run, its places in the
 * queue and its live tasks, decides on what it read, writes and commits.
 */
export async function decideUnderLocks(
  engine: EngineContext,
  runId: string,
  items: readonly ShardItem[],
  budget: EvaluationBudget,
): Promise<ShardOutcome[]> {
  // The plan may have to be fetched from another service: not while locks are held.
  const known = await engine.states.get(engine.store, [runId])
  if (known.failed.has(runId)) throw known.failed.get(runId)
  engine.states.drop(runId)
  const result = await engine.store.transaction((tx) => inTransaction(engine, tx, runId, items, budget))
  if (result.written) {
    engine.states.keep(result.written.state)
    engine.announce(result.written.commit)
  }
  return result.outcomes
}

async function inTransaction(
  engine: EngineContext,
  tx: RunTransaction,
  runId: string,
  items: readonly ShardItem[],
  budget: EvaluationBudget,
): Promise<LockedResult> {
  const locked = await tx.lockRun(runId)
  if (!locked) return { outcomes: items.map(() => 'absent') }
  const { run, tasks } = locked
  const rows = new Map(tasks.map((row) => [row.id, row]))
  // Under the lock of their run no timers go.
  const existing = await tx.findExistingTimers(items.flatMap((item) => timerOf(item) ?? []))
  const outcomes = items.map((item): ShardOutcome | null => {
    const proof = leaseOf(item)
    if (isCalledOff(item, existing)) return 'applied'
    return proof && !holds(rows.get(proof.taskId), proof.lease) ? outcomeOf(item, rows.get(proof.taskId)) : null
  })
  const valid = items.filter((_, i) => outcomes[i] === null)
  const plan = await engine.plans.forRun(run.version_id, run.queue_defaults)
  const payloads = await tx.loadPayloads(payloadTaskIds(plan, tasks))
  const failures = await engine.outputs?.fill(payloads)
  for (const failure of failures?.values() ?? []) throw failure
  const signals = (plan.hasSignals ? await tx.loadSignals([runId]) : undefined)?.get(runId) ?? []
  const admission = plan.concurrency ? await tx.loadAdmission(runId) : 'none'
  const openChildren = await tx.findOpenRuns(awaitedRunIds(plan, tasks))
  const before = runStateFromRows(run, tasks, { payloads, signals, admission, openChildren }, true)
  const commands = valid.map((item) => item.command)
  const decision = budget.spend(valid, () => decide(before, commands, plan))
  const answered = outcomes.map((outcome) => outcome ?? 'applied')
  if (decision.state.rev === before.rev) return { outcomes: answered }
  const write = engine.emptyRows()
  const limited = limitedTasks(plan, before.projectId, engine.queueLimits, tasks)
  const decided = { before, decision, plan, newRun: null, items: valid, grants: new Map(), limited }
  addRows(write, decided, engine.env, engine.outputs !== undefined)
  const result = await tx.writeBatch(write)
  if (!result.won.has(runId)) throw new Error(`run ${runId} changed under its own lock`)
  const outputs = write.largePayloads.length > 0
  const commit = { ...commitOf([decided], [], result), outputs, stop: stopsOf(decided, tasks) }
  return { outcomes: answered, written: { state: decision.state, commit } }
}

/**
 * The same for map items that leave the queue, because a timer is due or their map ends: their groups are locked by a
 * statement before, since one that waits for a group by itself finds none of the places in the queue that the holder of
 * the lock gave to items.
 */
export async function decideItemsUnderLocks(
  engine: EngineContext,
  entries: readonly Pending[],
  outcomes: Outcomes,
): Promise<Pending[]> {
  if (entries.length === 0) return []
  const decided = await engine.store.transaction(async (tx) => {
    const ids = entries.flatMap(({ item }) => itemOf(item) ?? [])
    await tx.lockMaps(ids.flatMap((id, i) => placeOf(id, entries[i]?.item.runId ?? '')))
    const rows = await tx.loadItems(ids)
    const existing = await tx.findExistingTimers(entries.flatMap(({ item }) => timerOf(item) ?? []))
    const items: DecidedItem[] = []
    for (const entry of entries) {
      if (isCalledOff(entry.item, existing)) continue
      const one = await decideOnRow(engine, entry, rowOf(entry.item, rows), [])
      if (one) items.push(one)
    }
    const write = engine.emptyRows()
    for (const one of items) addItem(write, one, engine.env)
    return { items, existing, result: await tx.writeBatch(write) }
  })
  engine.announce(commitOf([], decided.items, decided.result))
  // Whoever did not win has been leased, or ended, meanwhile: decided again on what it is now.
  return entries.flatMap((entry) => {
    const isDone = isCalledOff(entry.item, decided.existing) || decided.result.won.has(itemOf(entry.item) ?? '')
    if (isDone) outcomes[entry.position] = 'applied'
    return isDone ? [] : [{ ...entry, lost: true }]
  })
}

const placeOf = (taskId: string, run_id: string): MapPlace[] => {
  const place = itemPlace(taskId)
  return place ? [{ run_id, ordinal: place.ordinal }] : []
}

/** Tasks under way whose holders are to be asked to stop. */
function stopsOf({ decision: { state, effects } }: DecidedRun, tasks: readonly TaskRow[]): StopRequest[] {
  return effects.stopRequests.flatMap((index) => {
    const row = tasks[index]
    if (!row?.session_id || !row.lease_id) return []
    return [{ sessionId: row.session_id, taskId: row.id, leaseId: row.lease_id, reason: state.reason ?? 'cancelled' }]
  })
}
