import { ItemFailure } from '@millrace/postgres'
import type { ChildRows } from '../db/child-rows.js'
import type { ChildRow } from '../db/map-groups.js'
import type { ChildWriteResult } from '../db/write-children.js'
import type { Pending } from './batch-attempt.js'
import { type ChildDecision, decideChild, succeedChild } from './child-commands.js'
import { deliverLeases } from './deliver-leases.js'
import type { EngineContext } from './engine-context.js'
import { holds, outcomeOf } from './lease-outcome.js'
import { endPoll, pickOf, pollQueue, type QueuePoll, reportsByCall } from './match.js'
import type { Attempt } from './shard.js'
import { leaseOf, type ShardItem, type ShardOutcome, timerOf } from './shard-item.js'

interface Decided {
  readonly entry: Pending
  readonly decision: ChildDecision
}

const taskIdOf = ({ item }: Pending): string => ('taskId' in item.command ? (item.command.taskId ?? '') : '')

const groupOf = ({ change }: ChildDecision): string => `${change.runId}:${change.ordinal}`

/** The child that a command means: of the run that it names. */
function childOf(item: ShardItem, rows: ReadonlyMap<string, ChildRow>): ChildRow | undefined {
  const row = 'taskId' in item.command ? rows.get(item.command.taskId ?? '') : undefined
  return row?.run_id === item.runId ? row : undefined
}

/** One pass over commands for maps' children: each stands or falls by itself, and none touches its run. */
export class ItemBatchAttempt implements Attempt {
  constructor(
    private readonly engine: EngineContext,
    private readonly outcomes: (ShardOutcome | ItemFailure)[],
  ) {}

  private get holding() {
    return this.engine.mapItems.holding
  }

  /** Gives what has to be decided again. */
  async run(pending: readonly Pending[]): Promise<Pending[]> {
    const { first, rest } = oneForEach(pending)
    const decided: Decided[] = []
    const fired: number[] = []
    const others: Pending[] = []
    for (const entry of first) {
      const decision = succeedChild(entry.item)
      if (decision) decided.push({ entry, decision })
      else others.push(entry)
    }
    await this.decideOnRows(others, decided, fired)
    if (decided.length === 0 && fired.length === 0) return rest
    const lost = await this.write(decided, fired, decided.length === pending.length)
    return [...(await this.resolveConflicts(lost)), ...rest]
  }

  private async decideOnRows(entries: readonly Pending[], decided: Decided[], fired: number[]): Promise<void> {
    if (entries.length === 0) return
    const rows = await this.engine.store.loadChildren(entries.map(taskIdOf))
    for (const entry of entries) {
      const { position, item } = entry
      const row = childOf(item, rows)
      const proof = leaseOf(item)
      if (proof && !holds(row, proof.lease)) this.outcomes[position] = outcomeOf(item, row)
      else if (!row) this.outcomes[position] = 'absent'
      else {
        try {
          const decision = await decideChild(this.engine, item, row)
          const timerId = timerOf(item) ?? null
          if (decision) decided.push({ entry, decision: { ...decision, change: { ...decision.change, timerId } } })
          else {
            this.outcomes[position] = 'applied'
            if (timerId !== null) fired.push(timerId)
          }
        } catch (error) {
          // Neither a definition that cannot be had nor a defect may hold up the others.
          this.engine.logger.error({ err: error, runId: item.runId }, 'a child of a map could not be decided')
          this.outcomes[position] = new ItemFailure(error)
        }
      }
    }
  }

  /** Gives those that lost. `alone`: nothing else is left to do before the batch is answered. */
  private async write(decided: readonly Decided[], fired: readonly number[], alone: boolean): Promise<Pending[]> {
    const { calls, store } = this.engine
    const rows: ChildRows = {
      changes: decided.map(({ decision }) => decision.change),
      timers: decided.flatMap(({ decision }) => decision.timers),
      fired: [...fired],
      dropsTimers: decided.some(({ decision }) => decision.dropsTimers),
      mayHoldSlots: decided.some(({ entry, decision }) => entry.locked || this.holding.has(groupOf(decision))),
    }
    // A pick must not lease what the same statement takes out of the queue.
    const mayPoll = rows.changes.every(({ expected }) => expected !== 'queued')
    const items = mayPoll ? decided.map(({ entry }) => entry.item) : []
    const look = pollQueue(calls, items)
    let result: ChildWriteResult
    try {
      result = await store.writeChildren(rows, pickOf(look))
    } catch (error) {
      if (look) endPoll(calls, look, 0)
      throw error
    }
    if (look) {
      const answered = alone && decided.every(({ decision }) => result.won.has(decision.change.id)) ? items : []
      await this.deliver(look, result, answered)
    }
    this.afterWrite(decided, result)
    return decided.flatMap(({ entry, decision }) => {
      if (!result.won.has(decision.change.id)) return [entry]
      this.outcomes[entry.position] = 'applied'
      return []
    })
  }

  private async deliver(look: QueuePoll, result: ChildWriteResult, answered: readonly ShardItem[]): Promise<void> {
    const { calls } = this.engine
    endPoll(calls, look, result.leased.length)
    await deliverLeases(this.engine, look.call, result.leased)
    calls.wakeFor([look.call], reportsByCall(answered))
  }

  private afterWrite(decided: readonly Decided[], result: ChildWriteResult): void {
    const won = decided.filter(({ decision }) => result.won.has(decision.change.id))
    const queued = won.filter(({ decision }) => decision.queued !== undefined)
    this.engine.announce({
      ...(won.length > 0 ? { changed: new Set(won.map(({ entry }) => entry.item.runId)) } : {}),
      queued:
        queued.length === 0
          ? undefined
          : {
              limited: queued.some(({ decision }) => decision.change.limited),
              tasks: () => queued.flatMap(({ decision }) => decision.queued ?? []),
            },
      maps: result.hasRoom,
      inbox: result.closed,
      freed: result.freed,
      timers: won.some(({ decision }) => decision.timers.length > 0 || decision.change.attemptFailed),
      stop: won.flatMap(({ decision }) => decision.stop ?? []),
      counts: { batchItems: { size: decided.length, won: won.length } },
    })
  }

  /** What has no lease or no timer any more is answered; the rest is looked at again. */
  private async resolveConflicts(lost: readonly Pending[]): Promise<Pending[]> {
    if (lost.length === 0) return []
    const { store } = this.engine
    const rows = await store.loadChildren(lost.map(taskIdOf))
    const standing = await store.findStandingTimers(lost.flatMap(({ item }) => timerOf(item) ?? []))
    return lost.flatMap((entry) => {
      const { item, position } = entry
      const proof = leaseOf(item)
      const row = childOf(item, rows)
      if (proof && !holds(row, proof.lease)) this.outcomes[position] = outcomeOf(item, row)
      const timerId = timerOf(item)
      if (timerId !== undefined && !standing.has(timerId)) this.outcomes[position] = 'applied'
      if (this.outcomes[position] !== undefined) return []
      if (!row?.holds_slots) return [entry]
      // It lost because it holds slots that nobody here knew of; so will the others of its group.
      this.holding.set(`${row.run_id}:${row.ordinal}`, true)
      return [{ ...entry, locked: true }]
    })
  }
}

/** Of several commands for one child the first goes; the others find what it left. */
function oneForEach(pending: readonly Pending[]): { first: Pending[]; rest: Pending[] } {
  const seen = new Set<string>()
  const first: Pending[] = []
  const rest: Pending[] = []
  for (const entry of pending) {
    const taskId = taskIdOf(entry)
    if (seen.has(taskId)) rest.push(entry)
    else first.push(entry)
    seen.add(taskId)
  }
  return { first, rest }
}
