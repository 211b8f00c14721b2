import { setImmediate } from 'node:timers/promises'
import { stepsSpent } from '@millrace/definition'
import { ItemFailure } from '@millrace/postgres'
import { decide } from '../domain/decide.js'
import { type TaskStatus, taskIsLive } from '../domain/task-state.js'
import { NeedsExactState } from '../domain/transition.js'
import type { EngineContext } from './engine-context.js'
import { defer, type EvaluationBudget, isDeferred } from './evaluation-budget.js'
import { limitedTasks } from './limits/limited-tasks.js'
import type { Unmatched } from './match.js'
import { type Found, initialRun } from './run-states.js'
import { leaseOf, type Outcomes, type Pending, type ShardItem } from './shard-item.js'

/** About 20 ms of evaluating expressions: those of many runs must not keep everybody else waiting for all of them. */
const stepsBetweenYields = 40_000

export interface DecidedRuns {
  readonly runs: Unmatched[]
  /** Groups that need the locks. */
  readonly locked: Pending[][]
  /** Reports whose task is not live any more. */
  readonly over: Pending[]
  /** For the next attempt: what a state from the cache has no use for, since no write tells whether it was old; retries. */
  readonly recheck: Pending[]
}

/** Decides each run on its state from the cache, or as it was read now. What needs no writing is answered. */
export class RunUnits {
  constructor(
    private readonly engine: EngineContext,
    private readonly outcomes: Outcomes,
    private readonly budget: EvaluationBudget,
  ) {}

  async decideAll(groups: ReadonlyMap<string, Pending[]>): Promise<DecidedRuns> {
    const { states, store } = this.engine
    const newRuns = new Set<string>()
    for (const [runId, group] of groups) if (group.some(({ item }) => item.newRun)) newRuns.add(runId)
    const known = await states.get(
      store,
      [...groups.keys()].filter((id) => !newRuns.has(id)),
    )
    const decided: DecidedRuns = { runs: [], locked: [], over: [], recheck: [] }
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

  private async decideOne(runId: string, group: readonly Pending[], known: Found, decided: DecidedRuns): Promise<void> {
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
      const commands = items.map(({ command }) => command)
      const decision = this.budget.spend(items, () => decide(before, commands, plan))
      if (decision.state.rev === before.rev) this.nothingToDo(runId, live, known, decided)
      else {
        const limited = limitedTasks(plan, before.projectId, this.engine.queueLimits)
        decided.runs.push({ before, decision, plan, newRun, items, limited })
      }
    } catch (error) {
      if (error instanceof NeedsExactState) decided.locked.push(live)
      else if (isDeferred(error)) decided.recheck.push(...defer(live, this.outcomes))
      else throw error
    }
  }

  /** Nothing to do is an answer only if the state was read now; whatever is written finds out by its rev. */
  private nothingToDo(runId: string, live: readonly Pending[], known: Found, decided: DecidedRuns): void {
    if (live.length > 0 && known.cached.has(runId)) {
      this.engine.states.drop(runId)
      decided.recheck.push(...live)
    } else for (const { position } of live) this.outcomes[position] = 'applied'
  }

  private refuse(group: readonly Pending[], error: unknown): void {
    for (const { position } of group) this.outcomes[position] ??= new ItemFailure(error)
  }
}

/** New runs, then what workers report, then what the engine gives up, then the rest. */
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
