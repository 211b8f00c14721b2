import { type Evaluations, withAllowance } from '@millrace/definition'
import type { ItemSlice } from '../db/make-items.js'
import type { ItemRow, MapWork } from '../db/map-groups.js'
import { childId } from '../domain/child-id.js'
import type { EnginePlan } from '../domain/engine-plan.js'
import { type ItemAttempt, readyItem } from '../domain/map-item.js'
import { hasDeadLetter } from '../domain/settle.js'
import type { RunState } from '../domain/state.js'
import type { Queued } from './announce.js'
import type { EngineContext, StopRequest } from './engine-context.js'
import { isDeferred } from './evaluation-budget.js'
import { mapKey, stateSince } from './item-units.js'
import { decideItemsUnderLocks } from './locked-path.js'
import { Loop } from './loop.js'
import type { Pending } from './shard-item.js'

const POLL_MS = 250
const MAX_GROUPS = 100
/** Children made or ended by one statement. */
const SLICE = 500
/** So that workers have something to begin with while the rest is made. */
const FIRST_SLICE = 100
/** A slice ends early at this much text, or after this long: evaluating holds up everybody else. */
const SLICE_BYTES = 4 * 1024 * 1024
const SLICE_MS = 100
/** Of evaluating, about 30 ms. */
const SLICE_STEPS = 60_000
/** How long a map whose run cannot be read is left alone. */
const REST_MS = 1000

/**
 * Makes the children of maps, as many as may run at a time, and ends those of maps that are ending. Each slice is a
 * statement of its own that leaves the group where the next one begins, so whoever looks next goes on from there: this
 * scheduler or another.
 */
export class Maps extends Loop {
  private readonly resting = new Map<string, number>()
  /** What expressions of the next items give that took too long to be evaluated here, by map. */
  private readonly evaluations = new Map<string, Evaluations>()
  /** Leases whose holders have been asked to stop. */
  private asked = new Set<string>()

  constructor(private readonly engine: EngineContext) {
    super({ name: 'maps', everyMs: POLL_MS, logger: engine.logger, env: engine.env })
  }

  /** A slice of every map that can be moved, and again, until none can. */
  protected override async turn(): Promise<void> {
    const { store, env } = this.engine
    for (;;) {
      for (const [runId, until] of this.resting) if (until < env.now()) this.resting.delete(runId)
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
      this.resting.set(map.run_id, this.engine.env.now() + REST_MS)
      return false
    }
  }

  private async make(map: MapWork): Promise<boolean> {
    const { store, plans, announce } = this.engine
    const state = await stateSince(this.engine, map.run_id, map.run_rev)
    const plan = await plans.forRun(state.versionId, state.queueDefaults)
    const slice = await this.slice(map, state, plan)
    if (!slice) return false
    const made = await store.makeItems(slice)
    if (!made) return false
    announce({
      changed: [map.run_id],
      queued: queuedBy(slice, state.projectId),
      timers: slice.timers.length > 0,
      inbox: made.closed ? [map.run_id] : [],
      counts: { itemsMade: slice.children.length },
    })
    return true
  }

  /** Undefined where even the first item takes too long: it comes again once it was evaluated elsewhere. */
  private async slice(map: MapWork, state: RunState, plan: EnginePlan): Promise<ItemSlice | undefined> {
    const { env, store, mapItems, queueLimits } = this.engine
    const { run_id: runId, ordinal, round, made: from, total, room } = map
    const task = plan.tasks[ordinal]
    if (!task?.child) throw new Error(`run ${runId} has no map ${ordinal}`)
    const { uses, queue, timeoutMs = null } = task.child
    const priority = task.child.priority ?? state.priority
    const slice: ItemSlice = {
      ...{ runId, ordinal, round, from, to: from, key: task.key, name: task.name, uses, queue, priority, timeoutMs },
      limited: task.child.limits !== undefined || queueLimits.has(state.projectId, queue),
      children: [],
      timers: [],
    }
    const items = await mapItems.get(runId, ordinal)
    const upTo = Math.min(total, from + (from === 0 ? FIRST_SLICE : SLICE))
    // Only a map that was begun before has children already, or one of whose children a rerun takes up.
    const rerun = state.origin?.rerun
    const hasEarlier = round > 1 || (rerun?.from === task.key && rerun.index >= 0)
    const earlier = hasEarlier ? await store.loadItemsBetween(map, from, upTo) : none
    const began = env.now()
    let bytes = 0
    const addAll = () => {
      do {
        bytes += this.add(slice, map, { state, plan, item: items[slice.to], before: earlier.get(slice.to) })
        slice.to += 1
      } while (slice.to < upTo && slice.children.length < room && bytes < SLICE_BYTES && env.now() - began < SLICE_MS)
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
    const { plans, elsewhere, env, logger } = this.engine
    this.resting.set(map.run_id, Number.POSITIVE_INFINITY)
    try {
      const definition = await plans.sourceOf(state.versionId)
      const task = { versionId: state.versionId, definition, work: { state, items } }
      this.evaluations.set(mapKey(map.run_id, map.ordinal), await elsewhere.run(task))
      this.resting.delete(map.run_id)
    } catch (error) {
      if (!this.stopped) logger.warn({ err: error, runId: map.run_id }, 'a map will be taken up again')
      this.resting.set(map.run_id, env.now() + REST_MS)
    }
    this.poke()
  }

  /** Adds the next item, unless it is done already; gives the size of its text. */
  private add(
    slice: ItemSlice,
    map: MapWork,
    { state, plan, item, before }: { state: RunState; plan: EnginePlan; item: unknown; before: ItemRow | undefined },
  ): number {
    if (before && !takenUpAgain.has(before.status)) return 0
    const { env } = this.engine
    const { ordinal } = map
    const index = slice.to
    const next = attemptAt(plan, { ordinal, index, item, had: before?.attempt ?? 0, random: env.random() })
    const { maxAttempts } = next
    const step = readyItem(state, plan, next)
    const id = childId(map.task_id, { ordinal, index })
    const failed = 'error' in step
    const input = failed ? null : (step.input ?? null)
    const { status, attempt } = step
    slice.children.push({
      ...{ id, idx: index, status, attempt, maxAttempts, input },
      error: failed ? JSON.stringify(step.error) : null,
      deadLetterId: status === 'failed' && hasDeadLetter(step.error) ? env.newId() : null,
      limits: failed || !step.limits ? null : JSON.stringify(step.limits),
    })
    const timers = failed ? (status === 'delayed' ? [{ kind: 'retry', delayMs: step.delayMs }] : []) : step.timers
    for (const { kind, delayMs } of timers) slice.timers.push({ taskId: id, kind, delayMs })
    return input?.length ?? 0
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
    if (before && !takenUpAgain.has(before.status)) return []
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

function queuedBy({ children, limited, runId, queue, uses }: ItemSlice, projectId: string): Queued | undefined {
  const queued = children.filter(({ status }) => status === 'queued')
  if (queued.length === 0) return undefined
  return { limited, tasks: () => queued.map(({ id: taskId }) => ({ runId, projectId, taskId, queue, uses })) }
}

const noEvaluations: Evaluations = new Map()
const none: ReadonlyMap<number, ItemRow> = new Map()
const takenUpAgain: ReadonlySet<string> = new Set(['failed', 'skipped', 'cancelled'])
