import { setTimeout as sleep } from 'node:timers/promises'
import { type AppError, unavailable } from '@millrace/errors'
import { type Batcher, createBatcher, ItemFailure, isDataError, retryable } from '@millrace/postgres'
import type { LeasedRow } from '../db/lease-fragment.js'
import { loadLeases } from '../db/load-runs.js'
import { type WriteResult, writeBatch } from '../db/write-batch.js'
import { emptyWriteRows } from '../db/write-rows.js'
import { decide } from '../domain/decide.js'
import { NeedsExactState } from '../domain/draft.js'
import type { EnginePlan } from '../domain/engine-plan.js'
import { failure } from '../domain/failure.js'
import { taskIsLive } from '../domain/task-state.js'
import { addRows, type DecidedRun } from './build-rows.js'
import { decideUnderLocks } from './cold-road.js'
import type { EngineContext } from './engine-context.js'
import { groupBy } from './group-by.js'
import { type LaneItem, type LaneOutcome, leaseOf } from './lane-item.js'
import { leaseFromDecision, leaseFromRow } from './lease.js'
import { endLook, lookIntoQueue, matchReady, type Promised, pickOf, type QueueLook, type Unmatched } from './match.js'
import { laneMetrics } from './metrics.js'
import { unbornRun } from './run-states.js'
import { holds, verdictOf } from './verdict.js'

interface Pending {
  readonly position: number
  readonly item: LaneItem
}

const MAX_ROUNDS = 50

/**
 * All commands of a run pass through one lane. A lane takes everything that waits, decides in memory and writes the whole
 * batch as one statement; what loses on rev or lease is read again and decided again.
 */
export class Lane {
  private readonly batcher: Batcher<LaneItem, LaneOutcome>

  constructor(
    private readonly engine: EngineContext,
    maxBatch: number,
  ) {
    this.batcher = createBatcher({ run: (items) => this.run(items), maxBatch })
  }

  submit(item: LaneItem): Promise<LaneOutcome> {
    return this.batcher.submit(item)
  }

  close(): Promise<void> {
    return this.batcher.close()
  }

  private async run(items: LaneItem[]): Promise<(LaneOutcome | ItemFailure)[]> {
    const outcomes = new Array<LaneOutcome | ItemFailure>(items.length)
    let pending: Pending[] = items.map((item, position) => ({ item, position }))
    for (let round = 0; pending.length > 0 && round < MAX_ROUNDS; round += 1) {
      try {
        pending = await new Round(this.engine, outcomes).play(pending)
      } catch (error) {
        for (const { item } of pending) this.engine.states.drop(item.runId)
        if (isDataError(error)) pending = await this.isolate(pending, outcomes, error)
        else if (!retryable(error) && !(error as AppError).retryable) {
          this.engine.logger.error({ err: error }, 'a batch failed')
          for (const { position } of pending) outcomes[position] = new ItemFailure(error)
          pending = []
        } else await sleep(Math.min(1000, 10 * 2 ** round) * (0.5 + Math.random() / 2))
      }
    }
    for (const { position } of pending) {
      outcomes[position] = new ItemFailure(unavailable('engine_busy', 'the engine could not apply this in time'))
    }
    return outcomes
  }

  /** A statement refused someone's data: halves the batch until the culprit is alone, and fails only that one. */
  private async isolate(
    pending: Pending[],
    outcomes: (LaneOutcome | ItemFailure)[],
    error: unknown,
  ): Promise<Pending[]> {
    const only = pending.length === 1 ? pending[0] : undefined
    if (only) {
      const { command } = only.item
      if (command.kind === 'succeed') {
        const refused = failure('unstorable_output', 'the output cannot be stored', 'validation')
        const { taskId, lease } = command
        return [
          { ...only, item: { ...only.item, command: { kind: 'fail', taskId, lease, error: refused, random: 0 } } },
        ]
      }
      this.engine.logger.error(
        { err: error, runId: only.item.runId, command: command.kind },
        'a command cannot be stored',
      )
      outcomes[only.position] = new ItemFailure(error)
      return []
    }
    const rest: Pending[] = []
    const middle = Math.ceil(pending.length / 2)
    for (const half of [pending.slice(0, middle), pending.slice(middle)]) {
      try {
        rest.push(...(await new Round(this.engine, outcomes).play(half)))
      } catch (halfError) {
        if (!isDataError(halfError)) throw halfError
        rest.push(...(await this.isolate(half, outcomes, halfError)))
      }
    }
    return rest
  }
}

/** One pass over a batch: decide, match, write, sort out who won. */
class Round {
  constructor(
    private readonly engine: EngineContext,
    private readonly outcomes: (LaneOutcome | ItemFailure)[],
  ) {}

  /** Gives what has to be decided again. */
  async play(pending: readonly Pending[]): Promise<Pending[]> {
    const groups = groupBy(pending, ({ item }) => item.runId)
    const { decided, cold, over } = await this.decideAll(groups)
    const again = decided.length > 0 ? await this.write(decided, groups) : []
    for (const runId of cold) await this.goCold(groups.get(runId) ?? [])
    await this.settleOver(over)
    return again
  }

  private async decideAll(groups: ReadonlyMap<string, Pending[]>) {
    const { states, plans, pool } = this.engine
    const born = new Set([...groups].filter(([, group]) => group.some(({ item }) => item.birth)).map(([id]) => id))
    const known = await states.get(
      pool,
      [...groups.keys()].filter((id) => !born.has(id)),
    )
    const decided: Unmatched[] = []
    const cold: string[] = []
    const over: Pending[] = []
    for (const [runId, group] of groups) {
      const birth = group.find(({ item }) => item.birth)?.item.birth ?? null
      const state = birth ? undefined : known.get(runId)
      const versionId = birth?.versionId ?? state?.versionId
      if (versionId === undefined) {
        for (const { position } of group) this.outcomes[position] = 'absent'
        continue
      }
      const plan = await plans.get(versionId)
      const before = state ?? (birth ? unbornRun(birth, plan) : undefined)
      if (!before) continue
      const live = takeLive(before.indexById, before.tasks, group, over)
      try {
        const decision = decide(
          before,
          live.map(({ item }) => item.command),
          plan,
        )
        if (decision.state.rev === before.rev) for (const { position } of live) this.outcomes[position] = 'applied'
        else decided.push({ before, decision, plan, birth, items: live.map(({ item }) => item) })
      } catch (error) {
        if (!(error instanceof NeedsExactState)) throw error
        cold.push(runId)
      }
    }
    return { decided, cold, over }
  }

  private async write(unmatched: Unmatched[], groups: ReadonlyMap<string, Pending[]>): Promise<Pending[]> {
    const { calls, pool } = this.engine
    const look = lookIntoQueue(
      calls,
      unmatched.flatMap((run) => run.items),
    )
    const { runs, promised } = matchReady(calls, unmatched)
    const rows = emptyWriteRows()
    for (const run of runs) addRows(rows, run)
    let result: WriteResult
    try {
      result = await writeBatch(pool, rows, pickOf(look))
    } catch (error) {
      for (const { call } of promised) calls.giveBack(call)
      if (look) endLook(calls, look, 0)
      throw error
    }
    laneMetrics.batchSize.observe(runs.length)
    this.afterWrite(runs, promised, result)
    if (look) await this.deliverPicked(look, result.leased)
    this.wake(promised, look)
    return this.sortOut(runs, groups, result)
  }

  private afterWrite(runs: readonly DecidedRun[], promised: readonly Promised[], result: WriteResult): void {
    const { states, calls, after } = this.engine
    const byId = new Map(runs.map((run) => [run.before.id, run]))
    for (const run of runs) {
      const rev = result.runs.get(run.before.id)
      if (rev === undefined) states.drop(run.before.id)
      else states.keep({ ...run.decision.state, rev })
    }
    for (const promise of promised) {
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
    const won = runs.filter((run) => result.runs.has(run.before.id))
    if (
      won.some((run) =>
        run.decision.effects.tasks.some(({ status, index }) => status === 'queued' && !run.grants.has(index)),
      )
    ) {
      after.queued()
    }
    if (won.some((run) => run.decision.effects.newTimers.length > 0)) after.timersSet()
    if (result.withInbox.length > 0) after.inbox(result.withInbox)
    if (won.length > 0) {
      after.changed(result.runs.keys())
      after.told()
    }
  }

  private async deliverPicked(look: QueueLook, leased: readonly LeasedRow[]): Promise<void> {
    const { calls } = this.engine
    endLook(calls, look, leased.length)
    await deliverLeases(this.engine, look.call, leased)
  }

  private wake(promised: readonly Promised[], look: QueueLook | null): void {
    const sessions = new Set(promised.map(({ call }) => call.session.id))
    if (look) sessions.add(look.call.session.id)
    for (const sessionId of sessions) this.engine.calls.wakeSession(sessionId)
  }

  /** Winners are answered; of a losing run, reports whose lease is over are answered and the rest is decided again. */
  private async sortOut(
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
    laneMetrics.lostRuns.inc(new Set(lost.map(({ item }) => item.runId)).size)
    const leases = await loadLeases(
      this.engine.pool,
      lost.flatMap(({ item }) => leaseOf(item)?.taskId ?? []),
    )
    return lost.filter(({ item, position }) => {
      // A run that exists already was born by an earlier delivery of the same event.
      if (item.birth) this.outcomes[position] = 'applied'
      const proof = leaseOf(item)
      if (proof && !holds(leases.get(proof.taskId), proof.lease)) {
        this.outcomes[position] = verdictOf(item, leases.get(proof.taskId))
      }
      return this.outcomes[position] === undefined
    })
  }

  private async goCold(group: readonly Pending[]): Promise<void> {
    const results = await decideUnderLocks(
      this.engine,
      group[0]?.item.runId ?? '',
      group.map(({ item }) => item),
    )
    group.forEach(({ position }, i) => {
      this.outcomes[position] = results[i] ?? 'absent'
    })
  }

  private async settleOver(over: readonly Pending[]): Promise<void> {
    const leases = await loadLeases(
      this.engine.pool,
      over.flatMap(({ item }) => leaseOf(item)?.taskId ?? []),
    )
    for (const { item, position } of over) {
      this.outcomes[position] = verdictOf(item, leases.get(leaseOf(item)?.taskId ?? ''))
    }
  }
}

/** Sets aside reports of tasks that are not live any more, and second reports of one task: the row answers those. */
function takeLive(
  indexById: ReadonlyMap<string, number>,
  tasks: readonly { status: Parameters<typeof taskIsLive>[0] }[],
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

/** Turns rows into leases for the worker; a lease whose plan cannot be had goes back to the queue. */
export async function deliverLeases(
  engine: EngineContext,
  call: Parameters<EngineContext['calls']['deliver']>[0],
  leased: readonly LeasedRow[],
): Promise<void> {
  if (leased.length === 0) return
  let plans: Map<string, EnginePlan>
  try {
    plans = await engine.plans.getAll(leased.map((row) => row.versionId))
  } catch (error) {
    engine.logger.warn({ err: error }, 'leases handed back: their definition cannot be read now')
    await engine.handBack(leased)
    return
  }
  for (const row of leased) {
    const plan = plans.get(row.versionId)
    if (plan) engine.calls.deliver(call, leaseFromRow(row, plan))
  }
  engine.after.changed(leased.map((row) => row.runId))
}
