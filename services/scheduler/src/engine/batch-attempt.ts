import { ItemFailure, isDataError, retryable } from '@millrace/postgres'
import type { WriteResult } from '../db/batch/write-batch.js'
import type { LeaseRow } from '../db/load-runs.js'
import { addItem } from './build-items.js'
import { addRows } from './build-rows.js'
import { commitOf } from './commit-of.js'
import type { DecidedRun } from './decided-run.js'
import { deliverLeases } from './deliver-leases.js'
import type { EngineContext } from './engine-context.js'
import { defer, EvaluationBudget, isDeferred } from './evaluation-budget.js'
import { groupBy } from './group-by.js'
import { type DecidedItem, decideItems, itemOf, mapKey, rowOf } from './item-units.js'
import { leaseFromDecision } from './lease.js'
import { holds, outcomeOf } from './lease-outcome.js'
import { decideItemsUnderLocks, decideUnderLocks } from './locked-path.js'
import type { Unmatched } from './match.js'
import { dequeueOf, endPoll, matchReady, pollQueue, type QueuePoll, type Reserved, reportsByPoll } from './match.js'
import { shardMetrics } from './metrics.js'
import { RunUnits } from './run-units.js'
import { isCalledOff, leaseOf, type Outcomes, type Pending, type ShardItem, timerOf } from './shard-item.js'

/** What one statement writes. */
interface Decided {
  readonly runs: Unmatched[]
  readonly items: readonly DecidedItem[]
  /** Timers of items that found nothing left to do. */
  readonly spent: readonly number[]
}

/** One pass over a batch: decide each unit (a run, or a map item), match, write all as one statement, sort out who won. */
export class BatchAttempt {
  private readonly budget = new EvaluationBudget()

  constructor(
    private readonly engine: EngineContext,
    private readonly outcomes: Outcomes,
  ) {}

  /** Gives what has to be decided again. */
  async run(pending: readonly Pending[]): Promise<Pending[]> {
    const { ofRuns, ofItems, later } = sortUnits(pending)
    const { runs, locked, over, recheck } = await new RunUnits(this.engine, this.outcomes, this.budget).decideAll(
      ofRuns,
    )
    const { items, spent, locked: lockedItems } = await decideItems(this.engine, ofItems, this.outcomes, this.budget)
    const left = [...later, ...recheck]
    const alone = locked.length + lockedItems.length + over.length + left.length === 0
    const nothing = runs.length + items.length + spent.length === 0
    const again = nothing ? [] : await this.write({ runs, items, spent }, ofRuns, alone)
    for (const group of locked) left.push(...(await this.decideLocked(group)))
    left.push(...(await decideItemsUnderLocks(this.engine, lockedItems, this.outcomes)))
    return [...again, ...left, ...(await this.resolveEnded(over))]
  }

  /** `alone`: the batch holds nothing but these units. */
  private async write(
    { runs: unmatched, items, spent }: Decided,
    groups: ReadonlyMap<string, Pending[]>,
    alone: boolean,
  ): Promise<Pending[]> {
    const { polls, store, env } = this.engine
    const submitted = [...unmatched.flatMap((run) => run.items), ...items.map(({ entry }) => entry.item)]
    const queuePoll = pollQueue(polls, submitted)
    const { runs, reserved } = matchReady(polls, unmatched, env)
    const rows = this.engine.emptyRows()
    for (const run of runs) addRows(rows, run, env, this.engine.outputs !== undefined)
    for (const one of items) addItem(rows, one, env)
    for (const id of spent) rows.spentTimers.push({ id })
    let result: WriteResult
    try {
      result = await store.writeBatch(rows, dequeueOf(queuePoll))
    } catch (error) {
      for (const { poll } of reserved) polls.giveBack(poll)
      if (queuePoll) endPoll(polls, queuePoll, 0)
      throw error
    }
    this.keep(runs, reserved, result)
    this.engine.announce({ ...commitOf(runs, items, result), outputs: rows.largePayloads.length > 0 })
    if (queuePoll) {
      endPoll(polls, queuePoll, result.leased.length)
      await deliverLeases(this.engine, queuePoll.poll, result.leased)
    }
    const allWon = runs.every((run) => result.won.has(run.before.id)) && items.every(({ id }) => result.won.has(id))
    this.wake(alone && allWon ? submitted : [], reserved, queuePoll)
    return [...(await this.resolveConflicts(runs, groups, result)), ...(await this.resolveItems(items, result))]
  }

  /** Winners go into the cache, and the leases they were written with to their workers. */
  private keep(runs: readonly DecidedRun[], reserved: readonly Reserved[], result: WriteResult): void {
    const { states, polls } = this.engine
    const byId = new Map(runs.map((run) => [run.before.id, run]))
    for (const run of runs) {
      const rev = result.won.get(run.before.id)
      if (rev === undefined) states.drop(run.before.id)
      else states.keep({ ...run.decision.state, rev })
    }
    for (const reservation of reserved) {
      const run = byId.get(reservation.runId)
      if (!run || !result.won.has(reservation.runId)) {
        polls.giveBack(reservation.poll)
        continue
      }
      const taskId = run.decision.state.tasks[reservation.index]?.id ?? ''
      const token = result.tokens.get(taskId) ?? 0
      const change = run.decision.effects.tasks.find(({ index }) => index === reservation.index)
      const grant = { leaseId: reservation.grant.leaseId, token, input: change?.input }
      polls.deliver(reservation.poll, leaseFromDecision(run.decision.state, run.plan, reservation.index, grant))
    }
  }

  /** `answered`: reports among these are answered as soon as this pass is over, nothing of the batch being left to do. */
  private wake(answered: readonly ShardItem[], reserved: readonly Reserved[], queuePoll: QueuePoll | null): void {
    const served = reserved.map(({ poll }) => poll)
    if (queuePoll) served.push(queuePoll.poll)
    if (served.length === 0) return
    this.engine.polls.wakeFor(served, reportsByPoll(answered))
  }

  /** Winners are answered; of a losing run, what has no lease or no timer any more is answered, the rest decided again. */
  private async resolveConflicts(
    runs: readonly DecidedRun[],
    groups: ReadonlyMap<string, Pending[]>,
    result: WriteResult,
  ): Promise<Pending[]> {
    const lost: Pending[] = []
    for (const run of runs) {
      const items = new Set(run.items)
      const group = (groups.get(run.before.id) ?? []).filter(({ item }) => items.has(item))
      if (result.won.has(run.before.id)) for (const { position } of group) this.outcomes[position] = 'applied'
      else lost.push(...group)
    }
    if (lost.length === 0) return []
    shardMetrics.writeConflicts.inc(new Set(lost.map(({ item }) => item.runId)).size)
    const leases = await this.engine.store.loadLeases(lost.flatMap(({ item }) => leaseOf(item)?.taskId ?? []))
    // A run that exists already was created by an earlier delivery of the same event.
    for (const { item, position } of lost) if (item.newRun) this.outcomes[position] = 'applied'
    const again = await this.answerOver(lost, ({ item }) => leases.get(leaseOf(item)?.taskId ?? ''))
    // It may have lost because it holds slots that nobody here knew of.
    return again.map((entry) =>
      leases.get(leaseOf(entry.item)?.taskId ?? '')?.holds_slots ? { ...entry, locked: true } : entry,
    )
  }

  /** Answers those whose lease or timer does not stand any more; gives the others. */
  private async answerOver(
    lost: readonly Pending[],
    rowOfEntry: (entry: Pending) => LeaseRow | undefined,
  ): Promise<Pending[]> {
    const existing = await this.engine.store.findExistingTimers(lost.flatMap(({ item }) => timerOf(item) ?? []))
    return lost.filter((entry) => {
      const { item, position } = entry
      const proof = leaseOf(item)
      const row = rowOfEntry(entry)
      if (proof && !holds(row, proof.lease)) this.outcomes[position] = outcomeOf(item, row)
      if (isCalledOff(item, existing)) this.outcomes[position] = 'applied'
      return this.outcomes[position] === undefined
    })
  }

  private async resolveItems(items: readonly DecidedItem[], result: WriteResult): Promise<Pending[]> {
    const lost: Pending[] = []
    for (const { id, entry } of items) {
      if (result.won.has(id)) this.outcomes[entry.position] = 'applied'
      else lost.push({ ...entry, lost: true })
    }
    if (lost.length === 0) return []
    const rows = await this.engine.store.loadItems(lost.flatMap(({ item }) => itemOf(item) ?? []))
    const again = await this.answerOver(lost, ({ item }) => rowOf(item, rows))
    // Whichever lost because it holds slots that nobody here knew of: so will the others of its map.
    for (const { run_id, ordinal, holds_slots } of rows.values()) {
      if (holds_slots) this.engine.mapItems.holding.set(mapKey(run_id, ordinal), true)
    }
    return again
  }

  /** Gives what has to be decided again. */
  private async decideLocked(group: readonly Pending[]): Promise<Pending[]> {
    const runId = group[0]?.item.runId ?? ''
    const items = group.map(({ item }) => item)
    try {
      const results = await decideUnderLocks(this.engine, runId, items, this.budget)
      group.forEach(({ position }, i) => {
        this.outcomes[position] = results[i] ?? 'absent'
      })
    } catch (error) {
      if (isDeferred(error)) return defer(group, this.outcomes)
      if (retryable(error) || isDataError(error)) throw error
      this.engine.logger.error({ err: error, runId }, 'a run could not be decided')
      for (const { position } of group) this.outcomes[position] = new ItemFailure(error)
    }
    return []
  }

  /** The row has the last word: whoever holds the lease after all met an old state, and is decided again. */
  private async resolveEnded(over: readonly Pending[]): Promise<Pending[]> {
    const leases = await this.engine.store.loadLeases(over.flatMap(({ item }) => leaseOf(item)?.taskId ?? []))
    return over.filter(({ item, position }) => {
      const proof = leaseOf(item)
      const row = leases.get(proof?.taskId ?? '')
      if (proof && holds(row, proof.lease)) {
        this.engine.states.drop(item.runId)
        return true
      }
      this.outcomes[position] = outcomeOf(item, row)
      return false
    })
  }
}

interface Sorted {
  readonly ofRuns: ReadonlyMap<string, Pending[]>
  readonly ofItems: readonly Pending[]
  /** For the next pass. */
  readonly later: readonly Pending[]
}

/**
 * By unit. Of several commands for one item the first goes, and the others find what it left. No statement writes a run
 * and an item of its maps: both may change the map's row, and the second change of a row by one statement is lost.
 */
function sortUnits(pending: readonly Pending[]): Sorted {
  const ofRuns = groupBy(
    pending.filter(({ item }) => itemOf(item) === undefined),
    ({ item }) => item.runId,
  )
  const taken = new Set<string>()
  const ofItems: Pending[] = []
  const later: Pending[] = []
  for (const entry of pending) {
    const id = itemOf(entry.item)
    if (id === undefined) continue
    if (taken.has(id) || ofRuns.has(entry.item.runId)) later.push(entry)
    else ofItems.push(entry)
    taken.add(id)
  }
  return { ofRuns, ofItems, later }
}
