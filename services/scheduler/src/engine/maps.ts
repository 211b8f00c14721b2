import { type Evaluations, withAllowance } from '@millrace/definition'
import type { ItemRow, MapWork } from '../db/map-groups.js'
import type { EnginePlan } from '../domain/engine-plan.js'
import { itemId } from '../domain/item-id.js'
import { type ItemAttempt, readyItem } from '../domain/map-item.js'
import { noDequeue } from '../domain/queue.js'
import type { RunState } from '../domain/state.js'
import { LARGE_INPUTS_BYTES, LARGE_INPUTS_REST_MS } from '../domain/transition.js'
import { addSlice, type DecidedSlice, type NewItem } from './build-slices.js'
import { commitOf } from './commit-of.js'
import type { EngineContext, StopRequest } from './engine-context.js'
import { isDeferred } from './evaluation-budget.js'
import { mapKey, stateSince } from './item-units.js'
import { decideItemsUnderLocks } from './locked-path.js'
import { Loop, SAFETY_POLL_MS } from './loop.js'
import type { Pending } from './shard-item.js'

const MAX_GROUPS = 100
/** Items made or ended by one statement. */
const SLICE = 500
/** So that workers have something to begin with while the rest is made. */
const FIRST_SLICE = 100
/** A slice ends early after this long: evaluating holds up everybody else. */
const SLICE_MS = 100
/** Of evaluating, about 30 ms. */
const SLICE_STEPS = 60_000
/** How long a map whose run cannot be read is left alone. */
const REST_MS = 1000

/**
 * Begins the items of maps, as many as may run at a time, and ends those of maps that are ending. A slice of items that
 * begin is one unit, written by itself. It leaves the group where the next one begins, so whoever looks next goes on from
 * there: this scheduler or another.
 */
export class Maps extends Loop {
  private readonly resting = new Map<string, number>()
  /** What expressions of the next items give that took too long to be evaluated here, by map. */
  private readonly evaluations = new Map<string, Evaluations>()
  /** Leases whose holders have been asked to stop. */
  private asked = new Set<string>()

  constructor(private readonly engine: EngineContext) {
    super({ name: 'maps', everyMs: SAFETY_POLL_MS, logger: engine.logger, env: engine.env })
  }

  /** A slice of every map that can be moved, and again, until none can. */
  protected override async turn(): Promise<void> {
    const { store, env } = this.engine
    for (;;) {
      for (const [runId, until] of this.resting) if (until <= env.now()) this.resting.delete(runId)
      const work = await store.findMapWork(MAX_GROUPS, [...this.resting.keys()])
      if (!work.some(({ ending }) => ending !== null)) this.asked = new Set()
      let moved = false
      for (const map of work) moved = (await this.moveOn(map)) || moved
      if (!moved) return
    }
  }

  private async moveOn(map: MapWork): Promise<boolean> {
    try {
      return map.ending === null ? await this.make(map) : await this.end(map)
    } catch (error) {
      // One map that cannot be moved now holds up no other.
      this.engine.logger.warn({ err: error, runId: map.run_id }, 'a map will be taken up again')
      this.rest(map, REST_MS)
      return false
    }
  }

  private async make(map: MapWork): Promise<boolean> {
    const { store, plans, announce, emptyRows, env } = this.engine
    const state = await stateSince(this.engine, map.run_id, map.run_rev)
    const plan = await plans.forRun(state.versionId, state.queueDefaults)
    const slice = await this.slice(map, state, plan)
    if (!slice) return false
    const rows = emptyRows()
    addSlice(rows, slice, env)
    const result = await store.writeBatch(rows, noDequeue)
    announce(commitOf([], [], result, [slice]))
    if (inputBytes(slice.items) >= LARGE_INPUTS_BYTES) this.rest(map, LARGE_INPUTS_REST_MS)
    return result.won.has(map.task_id)
  }

  /** Undefined where even the first item takes too long: it comes again once it was evaluated elsewhere. */
  private async slice(map: MapWork, state: RunState, plan: EnginePlan): Promise<DecidedSlice | undefined> {
    const { env, store, mapItems, queueLimits } = this.engine
    const { run_id: runId, ordinal, round, made: from, total, room } = map
    const task = plan.tasks[ordinal]
    if (!task?.child) throw new Error(`run ${runId} has no map ${ordinal}`)
    const { child: planned } = task
    const limited = planned.limits !== undefined || queueLimits.has(state.projectId, planned.queue)
    const slice = { map, state, task, planned, limited, to: from, items: [] as NewItem[] }
    const items = await mapItems.get(runId, ordinal)
    const upTo = Math.min(total, from + (from === 0 ? FIRST_SLICE : SLICE))
    // Only a map that was begun before has items already, or one of whose items a rerun takes up.
    const rerun = state.origin?.rerun
    const hasEarlier = round > 1 || (rerun?.from === task.key && rerun.index >= 0)
    const earlier = hasEarlier ? await store.loadItemsBetween(map, from, upTo) : none
    const began = env.now()
    let bytes = 0
    const addAll = () => {
      do {
        const before = earlier.get(slice.to)
        const next = isDone(before) ? undefined : this.next(slice, plan, items[slice.to], before)
        if (next) slice.items.push(next)
        bytes += next ? inputBytes([next]) : 0
        slice.to += 1
      } while (
        slice.to < upTo &&
        slice.items.length < room &&
        bytes < LARGE_INPUTS_BYTES &&
        env.now() - began < SLICE_MS
      )
    }
    const key = mapKey(runId, ordinal)
    const isWhole = doesFit(() => withAllowance(SLICE_STEPS, this.evaluations.get(key) ?? noEvaluations, addAll))
    this.evaluations.delete(key)
    if (isWhole || slice.to > from) return slice
    const next = { from, upTo: Math.min(upTo, from + room), items, earlier }
    void this.evaluate(map, state, attemptsOf(plan, ordinal, next))
    return undefined
  }

  /** The map rests meanwhile; the others go on. */
  private async evaluate(map: MapWork, state: RunState, items: readonly ItemAttempt[]): Promise<void> {
    const { plans, elsewhere, logger } = this.engine
    this.resting.set(map.run_id, Number.POSITIVE_INFINITY)
    try {
      const definition = await plans.sourceOf(state.versionId)
      const task = { versionId: state.versionId, definition, work: { state, items } }
      this.evaluations.set(mapKey(map.run_id, map.ordinal), await elsewhere.run(task))
      this.resting.delete(map.run_id)
    } catch (error) {
      if (!this.stopped) logger.warn({ err: error, runId: map.run_id }, 'a map will be taken up again')
      this.rest(map, REST_MS)
    }
    this.poke()
  }

  private next({ map, state, to: index }: DecidedSlice, plan: EnginePlan, item: unknown, before?: ItemRow): NewItem {
    const { ordinal, task_id: mapId } = map
    const random = this.engine.env.random()
    const attempt = attemptAt(plan, { ordinal, index, item, had: before?.attempt ?? 0, random })
    const step = readyItem(state, plan, attempt)
    return { id: itemId(mapId, { ordinal, index }), index, maxAttempts: attempt.maxAttempts, step }
  }

  /** The others go on meanwhile. */
  private rest({ run_id: runId }: MapWork, ms: number): void {
    const { env } = this.engine
    this.resting.set(runId, env.now() + ms)
    env.after(ms, () => this.poke())
  }

  private async end(map: MapWork): Promise<boolean> {
    const { store, announce } = this.engine
    const open = await store.loadOpenItems(map, SLICE)
    if (open.length === 0) {
      if (await store.recountMap(map)) announce({ inbox: [map.run_id] })
      return false
    }
    announce({ stop: open.flatMap((item) => this.stopOf(item)) })
    const entries = open
      .filter(({ status, late }) => late || status !== 'running')
      .slice(0, SLICE)
      .map(({ id, run_id: runId }, position): Pending => {
        return { position, item: { runId, command: { kind: 'end-item', taskId: id } } }
      })
    const left = await decideItemsUnderLocks(this.engine, entries, [])
    return left.length < entries.length
  }

  /** Asks the holder of an item to stop, once. */
  private stopOf({ id: taskId, session_id: sessionId, lease_id: leaseId, status, ending }: ItemRow): StopRequest[] {
    if (status !== 'running' || !sessionId || !leaseId || this.asked.has(leaseId)) return []
    this.asked.add(leaseId)
    return [{ sessionId, leaseId, taskId, reason: ending ?? 'cancel' }]
  }
}

const inputBytes = (items: readonly NewItem[]): number =>
  items.reduce((sum, { step }) => sum + ('input' in step ? (step.input?.length ?? 0) : 0), 0)

function attemptAt(
  plan: EnginePlan,
  { had, ...place }: { ordinal: number; index: number; item: unknown; had: number; random: number },
): ItemAttempt {
  const maxAttempts = had + (plan.tasks[place.ordinal]?.child?.retry.maxAttempts ?? 1)
  return { ...place, attempt: had + 1, maxAttempts }
}

interface Span {
  readonly from: number
  readonly upTo: number
  readonly items: readonly unknown[]
  readonly earlier: ReadonlyMap<number, ItemRow>
}

function attemptsOf(plan: EnginePlan, ordinal: number, { from, upTo, items, earlier }: Span): ItemAttempt[] {
  return items.slice(from, upTo).flatMap((item, i) => {
    const before = earlier.get(from + i)
    if (isDone(before)) return []
    return attemptAt(plan, { ordinal, index: from + i, item, had: before?.attempt ?? 0, random: 0 })
  })
}

function doesFit(work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (!isDeferred(error)) throw error
    return false
  }
}

const noEvaluations: Evaluations = new Map()
const none: ReadonlyMap<number, ItemRow> = new Map()
/** Of an earlier round of the map. */
const isDone = (before: ItemRow | undefined): boolean => before !== undefined && !takenUpAgain.has(before.status)
const takenUpAgain: ReadonlySet<string> = new Set(['failed', 'skipped', 'cancelled'])
