import { unprocessable } from '@millrace/errors'
import { ItemFailure } from '@millrace/postgres'
import type { ItemRow } from '../db/map-groups.js'
import { decideItem, type ItemDecision, type ItemFacts, succeedUnseen } from '../domain/decide-item.js'
import { itemPlace } from '../domain/item-id.js'
import { type ItemAttempt, type ItemState, readyItem } from '../domain/map-item.js'
import type { RunState } from '../domain/state.js'
import type { EngineContext } from './engine-context.js'
import { EvaluationBudget, isDeferred } from './evaluation-budget.js'
import { holds, outcomeOf } from './lease-outcome.js'
import { leaseOf, type Outcomes, type Pending, type ShardItem, timerOf } from './shard-item.js'

/** A map item's part of a batch: it wins or loses by itself, and touches neither its run nor other items. */
export interface DecidedItem {
  readonly entry: Pending
  readonly id: string
  readonly ordinal: number
  readonly decision: ItemDecision
  /** Absent where the decision needed no look at it. */
  readonly row?: ItemRow
  /** It goes into the queue. */
  readonly queued: boolean
  /** It is leased only together with slots. */
  readonly limited: boolean
  /** It may have slots to give back. */
  readonly mayHoldSlots: boolean
}

export interface DecidedItems {
  readonly items: readonly DecidedItem[]
  /** Timers that found nothing left to do. */
  readonly spent: readonly number[]
  /** Only under locks: they leave the queue. */
  readonly locked: readonly Pending[]
}

/** The item that a command is about, if it is about one. A retry is for its run, which may have to be reopened. */
export function itemOf({ command }: ShardItem): string | undefined {
  if (command.kind === 'retry' || !('taskId' in command) || command.taskId === undefined) return undefined
  return itemPlace(command.taskId) && command.taskId
}

export const mapKey = (runId: string, ordinal: number): string => `${runId}:${ordinal}`

/** The run, as it was at this rev or later: what an item may see of it had happened by then. */
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

/** Decides each by itself. What needs no writing is answered in `outcomes`. */
export async function decideItems(
  engine: EngineContext,
  entries: readonly Pending[],
  outcomes: Outcomes,
  budget: EvaluationBudget,
): Promise<DecidedItems> {
  const items: DecidedItem[] = []
  const spent: number[] = []
  const locked: Pending[] = []
  const onRows = entries.filter((entry) => {
    const decided = decideUnseen(engine, entry)
    if (decided) items.push(decided)
    return !decided
  })
  const rows = await engine.store.loadItems(onRows.flatMap(({ item }) => itemOf(item) ?? []))
  for (const entry of onRows) {
    try {
      const decided = await decideOnRow(engine, entry, rowOf(entry.item, rows), outcomes, budget)
      if (decided?.decision.expected.status === 'queued') locked.push(entry)
      else if (decided) items.push(decided)
      else spent.push(...spentTimer(entry, outcomes))
    } catch (error) {
      if (isDeferred(error)) {
        outcomes[entry.position] = 'deferred'
        continue
      }
      // Neither a definition that cannot be had nor a defect may hold up the others.
      engine.logger.error({ err: error, runId: entry.item.runId }, 'a map item could not be decided')
      outcomes[entry.position] = new ItemFailure(error)
    }
  }
  return { items, spent, locked }
}

/** The row of the item that a command means: of the run that it names. */
export function rowOf(item: ShardItem, rows: ReadonlyMap<string, ItemRow>): ItemRow | undefined {
  const row = rows.get(itemOf(item) ?? '')
  return row?.run_id === item.runId ? row : undefined
}

function decideUnseen(engine: EngineContext, entry: Pending): DecidedItem | undefined {
  const { runId, command } = entry.item
  const ordinal = command.kind === 'succeed' && !entry.lost ? itemPlace(command.taskId)?.ordinal : undefined
  if (command.kind !== 'succeed' || ordinal === undefined) return undefined
  const mayHoldSlots = engine.mapItems.holding.has(mapKey(runId, ordinal))
  const decision = succeedUnseen(command)
  return { entry, id: command.taskId, ordinal, decision, queued: false, limited: false, mayHoldSlots }
}

/** Undefined when there is nothing to write. */
export async function decideOnRow(
  engine: EngineContext,
  entry: Pending,
  row: ItemRow | undefined,
  outcomes: Outcomes,
  budget = new EvaluationBudget(),
): Promise<DecidedItem | undefined> {
  const { item, position } = entry
  const proof = leaseOf(item)
  if (proof && !holds(row, proof.lease)) outcomes[position] = outcomeOf(item, row)
  else if (!row) outcomes[position] = 'absent'
  if (!row || outcomes[position] !== undefined) return undefined
  const facts = await factsFor(engine, item, row)
  const decision = budget.spend([item], () => decideItem(toState(row), item.command, facts))
  if (!decision) return undefined
  const { id, run_id: runId, ordinal } = row
  const queued = facts !== undefined && decision.status === 'queued'
  const mayHoldSlots = row.holds_slots || engine.mapItems.holding.has(mapKey(runId, ordinal))
  return { entry, id, ordinal, decision, row, mayHoldSlots, queued, limited: queued && isLimited(engine, row, facts) }
}

/** A command that changes nothing is answered; its timer goes. */
function spentTimer({ item, position }: Pending, outcomes: Outcomes): number[] {
  if (outcomes[position] !== undefined) return []
  outcomes[position] = 'applied'
  return [timerOf(item) ?? []].flat()
}

const toState = (row: ItemRow): ItemState => ({
  ...{ id: row.id, runId: row.run_id, ordinal: row.ordinal, index: row.idx, status: row.status },
  ...{ attempt: row.attempt, maxAttempts: row.max_attempts, error: row.error },
  ...{ ending: row.ending, paused: row.paused, closed: row.closed, late: row.late },
})

/** Timeouts are decided on the row alone, so that they can be under locks. */
async function factsFor(engine: EngineContext, { command }: ShardItem, row: ItemRow): Promise<ItemFacts | undefined> {
  if (command.kind === 'retry-due') return attemptFacts(engine, row)
  if (command.kind === 'fail' || command.kind === 'expire') return runFacts(engine, row)
  if (command.kind !== 'wake') return undefined
  const input = (await engine.store.loadPayloads([row.id])).get(row.id)?.input ?? null
  return { ...(await runFacts(engine, row)), input }
}

async function runFacts(engine: EngineContext, row: ItemRow): Promise<ItemFacts> {
  const state = await stateSince(engine, row.run_id, row.run_rev)
  const plan = await engine.plans.forRun(state.versionId, state.queueDefaults)
  return { state, plan, random: engine.env.random() }
}

async function attemptFacts(engine: EngineContext, row: ItemRow): Promise<ItemFacts> {
  const value = (await engine.mapItems.get(row.run_id, row.ordinal))[row.idx]
  return { ...(await runFacts(engine, row)), value }
}

function isLimited({ queueLimits }: EngineContext, row: ItemRow, { state, plan }: ItemFacts): boolean {
  const planned = plan.tasks[row.ordinal]?.child
  return planned?.limits !== undefined || queueLimits.has(state.projectId, planned?.queue ?? '')
}

/** The attempt at an item that would begin now. */
export async function attemptOf(engine: EngineContext, taskId: string) {
  const row = (await engine.store.loadItems([taskId])).get(taskId)
  if (!row) return undefined
  const { state, plan, random, value } = await attemptFacts(engine, row)
  const item = toState(row)
  const attempt: ItemAttempt = { ...item, attempt: item.attempt + 1, item: value, random }
  return { state, plan, attempt }
}

/** What an item would be given if it were tried now; undefined when that is the same for all. */
export async function itemInput(engine: EngineContext, taskId: string): Promise<string | undefined> {
  const found = await attemptOf(engine, taskId)
  if (!found) return undefined
  const step = readyItem(found.state, found.plan, found.attempt)
  if ('error' in step) throw unprocessable('expression', step.error.message)
  return step.input
}
