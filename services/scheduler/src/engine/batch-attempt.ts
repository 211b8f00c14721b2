import { setImmediate } from 'node:timers/promises'
import { stepsSpent } from '@millrace/definition'
import { ItemFailure, isDataError, retryable } from '@millrace/postgres'
import type { WriteResult } from '../db/batch/write-batch.js'
import { decide } from '../domain/decide.js'
import { NeedsExactState } from '../domain/draft.js'
import { type TaskStatus, taskIsLive } from '../domain/task-state.js'
import { addRows } from './build-rows.js'
import { commitOf } from './commit-of.js'
import type { DecidedRun } from './decided-run.js'
import { deliverLeases } from './deliver-leases.js'
import type { EngineContext } from './engine-context.js'
import { groupBy } from './group-by.js'
import { leaseFromDecision } from './lease.js'
import { holds, outcomeOf } from './lease-outcome.js'
import { limitedTasks } from './limits/limited-tasks.js'
import { decideUnderLocks } from './locked-path.js'
import {
  endPoll,
  matchReady,
  pickOf,
  pollQueue,
  type QueuePoll,
  type Reserved,
  reportsByCall,
  type Unmatched,
} from './match.js'
import { shardMetrics } from './metrics.js'
import { type Found, initialRun } from './run-states.js'
import { leaseOf, type ShardItem, type ShardOutcome, timerOf } from './shard-item.js'

/** About 20 ms of evaluating expressions: those of many runs must not keep everybody else waiting for all of them. */
const stepsBetweenYields = 40_000

/** A command and its place in the batch. */
export interface Pending {
  readonly position: number
  readonly item: ShardItem
  /** Only the rows can tell what this needs. */
  readonly locked?: boolean
}

interface Decided {
  readonly runs: Unmatched[]
  /** Groups that need the locks. */
  readonly locked: Pending[][]
  /** Reports whose task is not live any more. */
  readonly over: Pending[]
  /** For the next round: what a state from the cache has no use for, since no write tells whether it was old; retries. */
  readonly recheck: Pending[]
}

/** One pass over a batch: decide, match, write, sort out who won. */
export class BatchAttempt {
  constructor(
    private readonly engine: EngineContext,
    private readonly outcomes: (ShardOutcome | ItemFailure)[],
  ) {}

  /** Gives what has to be decided again. */
  async run(pending: readonly Pending[]): Promise<Pending[]> {
    const groups = groupBy(pending, ({ item }) => item.runId)
    const { runs, locked, over, recheck } = await this.decideAll(groups)
    const alone = locked.length + over.length + recheck.length === 0
    const again = runs.length > 0 ? await this.write(runs, groups, alone) : []
    for (const group of locked) await this.decideLocked(group)
    return [...again, ...recheck, ...(await this.resolveEnded(over))]
  }

  private async decideAll(groups: ReadonlyMap<string, Pending[]>): Promise<Decided> {
    const { states, store } = this.engine
    const newRuns = new Set<string>()
    for (const [runId, group] of groups) if (group.some(({ item }) => item.newRun)) newRuns.add(runId)
    const known = await states.get(
      store,
      [...groups.keys()].filter((id) => !newRuns.has(id)),
    )
    const decided: Decided = { runs: [], locked: [], over: [], recheck: [] }
    let yieldedAt = stepsSpent()
    for (const [runId, group] of groups) {
      if (stepsSpent() - yieldedAt > stepsBetweenYields) {
        await setImmediate()
        yieldedAt = stepsSpent()
      }
      try {
        await this.decideOne(runId, group, known, decided)
      } catch (error) {
        // Neither a definition that cannot be had nor a defect in one run's decision may hold up the others.
        this.engine.logger.error({ err: error, runId }, 'a run could not be decided')
        this.refuse(group, error)
      }
    }
    return decided
  }

  private async decideOne(runId: string, group: readonly Pending[], known: Found, decided: Decided): Promise<void> {
    if (known.failed.has(runId)) throw known.failed.get(runId)
    const newRun = group.find(({ item }) => item.newRun)?.item.newRun ?? null
    const state = newRun ? undefined : known.states.get(runId)
    const versionId = newRun?.versionId ?? state?.versionId
    if (versionId === undefined) {
      for (const { position } of group) this.outcomes[position] = 'absent'
      return
    }
    const { plans, env, queueDefaults } = this.engine
    const defaults = newRun
      ? queueDefaults(newRun.projectId, await plans.get(versionId))
      : (state?.queueDefaults ?? null)
    const plan = defaults === null ? await plans.get(versionId) : await plans.forRun(versionId, defaults)
    const before = state ?? (newRun ? { ...initialRun(newRun, plan, env), queueDefaults: defaults } : undefined)
    if (!before) return
    const live = upToRetry(takeLive(before.indexById, before.tasks, inOrder(group), decided.over), decided.recheck)
    const items = live.map(({ item }) => item)
    if (live.some(({ locked }) => locked)) {
      decided.locked.push(live)
      return
    }
    try {
      const decision = decide(
        before,
        items.map(({ command }) => command),
        plan,
      )
      if (decision.state.rev === before.rev) this.nothingToDo(runId, live, known, decided)
      else {
        const limited = limitedTasks(plan, before.projectId, this.engine.queueLimits)
        decided.runs.push({ before, decision, plan, newRun, items, limited })
      }
    } catch (error) {
      if (!(error instanceof NeedsExactState)) throw error
      decided.locked.push(live)
    }
  }

  /** Nothing to do is an answer only if the state was read now; whatever is written finds out by its rev. */
  private nothingToDo(runId: string, live: readonly Pending[], known: Found, decided: Decided): void {
    if (live.length > 0 && known.cached.has(runId)) {
      this.engine.states.drop(runId)
      decided.recheck.push(...live)
    } else for (const { position } of live) this.outcomes[position] = 'applied'
  }

  private refuse(group: readonly Pending[], error: unknown): void {
    for (const { position } of group) this.outcomes[position] ??= new ItemFailure(error)
  }

  /** `alone`: the batch holds nothing but these runs. */
  private async write(
    unmatched: Unmatched[],
    groups: ReadonlyMap<string, Pending[]>,
    alone: boolean,
  ): Promise<Pending[]> {
    const { calls, store, env } = this.engine
    const look = pollQueue(
      calls,
      unmatched.flatMap((run) => run.items),
    )
    const { runs, reserved } = matchReady(calls, unmatched, env)
    const rows = this.engine.emptyRows()
    for (const run of runs) addRows(rows, run, env, this.engine.outputs !== undefined)
    let result: WriteResult
    try {
      result = await store.writeBatch(rows, pickOf(look))
    } catch (error) {
      for (const { call } of reserved) calls.giveBack(call)
      if (look) endPoll(calls, look, 0)
      throw error
    }
    this.keep(runs, reserved, result)
    this.engine.announce({ ...commitOf(runs, result), outputs: rows.largePayloads.length > 0 })
    if (look) {
      endPoll(calls, look, result.leased.length)
      await deliverLeases(this.engine, look.call, result.leased)
    }
    const answered = alone && runs.every((run) => result.runs.has(run.before.id)) ? runs : []
    this.wake(answered, reserved, look)
    return this.resolveConflicts(runs, groups, result)
  }

  /** Winners go into the cache, and the leases they were written with to their workers. */
  private keep(runs: readonly DecidedRun[], reserved: readonly Reserved[], result: WriteResult): void {
    const { states, calls } = this.engine
    const byId = new Map(runs.map((run) => [run.before.id, run]))
    for (const run of runs) {
      const rev = result.runs.get(run.before.id)
      if (rev === undefined) states.drop(run.before.id)
      else states.keep({ ...run.decision.state, rev })
    }
    for (const promise of reserved) {
      const run = byId.get(promise.runId)
      if (!run || !result.runs.has(promise.runId)) {
        calls.giveBack(promise.call)
        continue
      }
      const taskId = run.decision.state.tasks[promise.index]?.id ?? ''
      const token = result.tokens.get(taskId) ?? 0
      const change = run.decision.effects.tasks.find(({ index }) => index === promise.index)
      const grant = { leaseId: promise.grant.leaseId, token, input: change?.input }
      calls.deliver(promise.call, leaseFromDecision(run.decision.state, run.plan, promise.index, grant))
    }
  }

  /** `answered`: the runs whose reports are answered as soon as this pass is over, nothing of the batch being left to do. */
  private wake(answered: readonly DecidedRun[], reserved: readonly Reserved[], look: QueuePoll | null): void {
    const served = reserved.map(({ call }) => call)
    if (look) served.push(look.call)
    if (served.length === 0) return
    this.engine.calls.wakeFor(served, reportsByCall(answered.flatMap(({ items }) => items)))
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
      if (result.runs.has(run.before.id)) for (const { position } of group) this.outcomes[position] = 'applied'
      else lost.push(...group)
    }
    if (lost.length === 0) return []
    shardMetrics.writeConflicts.inc(new Set(lost.map(({ item }) => item.runId)).size)
    const leases = await this.engine.store.loadLeases(lost.flatMap(({ item }) => leaseOf(item)?.taskId ?? []))
    const standing = await this.engine.store.findStandingTimers(lost.flatMap(({ item }) => timerOf(item) ?? []))
    const again = lost.filter(({ item, position }) => {
      // A run that exists already was created by an earlier delivery of the same event.
      if (item.newRun) this.outcomes[position] = 'applied'
      const proof = leaseOf(item)
      if (proof && !holds(leases.get(proof.taskId), proof.lease)) {
        this.outcomes[position] = outcomeOf(item, leases.get(proof.taskId))
      }
      const timerId = timerOf(item)
      if (timerId !== undefined && !standing.has(timerId)) this.outcomes[position] = 'applied'
      return this.outcomes[position] === undefined
    })
    // It may have lost because it holds slots that nobody here knew of.
    return again.map((entry) =>
      leases.get(leaseOf(entry.item)?.taskId ?? '')?.holds_slots ? { ...entry, locked: true } : entry,
    )
  }

  private async decideLocked(group: readonly Pending[]): Promise<void> {
    const runId = group[0]?.item.runId ?? ''
    const items = group.map(({ item }) => item)
    const results = await decideUnderLocks(this.engine, runId, items).catch((error: unknown) => {
      if (retryable(error) || isDataError(error)) throw error
      this.engine.logger.error({ err: error, runId }, 'a run could not be decided')
      return items.map(() => new ItemFailure(error))
    })
    group.forEach(({ position }, i) => {
      this.outcomes[position] = results[i] ?? 'absent'
    })
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

/** Births, then what workers report, then what the engine gives up, then the rest. */
function rankOf({ newRun, report, command }: ShardItem): number {
  if (newRun) return 0
  if (report) return 1
  return command.kind === 'expire' ? 2 : 3
}

/**
 * What came into one batch came at once. A command that came before the creation of its run is meant for the run that was created;
 * a report goes before a timeout or a cancel of the same task, or its worker would be told that a result counts which the
 * batch has just thrown away.
 */
const inOrder = (group: readonly Pending[]): readonly Pending[] =>
  group.length === 1 ? group : [...group].sort((a, b) => rankOf(a.item) - rankOf(b.item))

/**
 * A retry is decided by itself after what came before it: in one decision with what ended the run, that generation's end
 * would never be told.
 */
function upToRetry(live: Pending[], later: Pending[]): Pending[] {
  const retry = live.findIndex(({ item }, i) => i > 0 && item.command.kind === 'retry')
  if (retry < 0) return live
  later.push(...live.slice(retry))
  return live.slice(0, retry)
}

/** Sets aside reports of tasks that are not live any more, and second reports of one task: the row answers those. */
function takeLive(
  indexById: ReadonlyMap<string, number>,
  tasks: readonly { status: TaskStatus }[],
  group: readonly Pending[],
  over: Pending[],
): Pending[] {
  const seen = new Set<string>()
  return group.filter((entry) => {
    const taskId = leaseOf(entry.item)?.taskId
    if (taskId === undefined) return true
    const index = indexById.get(taskId)
    const status = index === undefined ? undefined : tasks[index]?.status
    const live = status !== undefined && taskIsLive(status) && !seen.has(taskId)
    seen.add(taskId)
    if (!live) over.push(entry)
    return live
  })
}
