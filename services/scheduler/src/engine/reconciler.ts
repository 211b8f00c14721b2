import type { Logger } from '@millrace/logger'
import type { Announce } from './announce.js'
import type { Environment } from './environment.js'
import { Loop } from './loop.js'
import { limitMetrics, type ReconcilerFind, reconcileMetrics } from './metrics.js'
import type { ShardItem, ShardOutcome } from './shard-item.js'
import type { LimitStore, MapStore, ReconcileStore } from './store.js'

const SLICE = 500
/** Longer than anybody leaves a workflow paused: until then its runs may still come. */
const INBOX_DAYS = 90

/**
 * Finds what should have moved and did not, moves it and counts it. In a run without faults the count stays zero:
 * anything else is a lost wake-up somewhere, and a defect.
 */
export class Reconciler extends Loop {
  /** Seen stuck once: a run between two statements looks stuck for a moment. */
  private suspects = new Set<string>()
  /** Maps that were seen without an open item once. */
  private uncounted = new Set<string>()

  constructor(
    private readonly options: {
      store: ReconcileStore & MapStore & LimitStore
      env: Environment
      everyMs: number
      submit: (item: ShardItem) => Promise<ShardOutcome>
      announce: Announce
      logger: Logger
    },
  ) {
    // Its looks grow with the backlog; they may take a twentieth of the time, no more.
    super({ name: 'reconciler', everyMs: options.everyMs, logger: options.logger, env: options.env, rest: 20 })
  }

  protected override async turn(): Promise<void> {
    const { store, announce } = this.options
    this.count('dead_queue_row', await store.removeDeadQueueRows(SLICE))
    const restored = await store.restoreLostQueueRows(SLICE)
    this.count('lost_queue_row', restored)
    // Whether any of them is limited is not known here.
    if (restored > 0) announce({ queued: { limited: true } })
    const overdue = await store.countOverdue()
    this.count('overdue_timer', overdue.timers)
    this.count('overdue_inbox', overdue.inbox)
    await this.freeStuckRuns()
    await this.recountMaps()
    await this.recountSlots()
    await this.options.store.forgetInbox(INBOX_DAYS)
  }

  private async recountSlots(): Promise<void> {
    const { store } = this.options
    this.count('slot_drift', await store.reconcileSlots(SLICE))
    await store.removeIdleSlots(SLICE)
    const { tasks, runs } = await store.countParked()
    limitMetrics.waiting.set({ what: 'tasks' }, tasks)
    limitMetrics.waiting.set({ what: 'runs' }, runs)
  }

  private async recountMaps(): Promise<void> {
    const { store, announce } = this.options
    const uncounted = new Map(
      (await store.findUncountedMaps(SLICE)).map((map) => [`${map.run_id}:${map.ordinal}`, map]),
    )
    for (const [place, map] of uncounted) {
      if (!this.uncounted.has(place) || !(await store.recountMap(map))) continue
      this.count('uncounted_map', 1)
      announce({ inbox: [map.run_id] })
    }
    this.uncounted = new Set(uncounted.keys())
  }

  private async freeStuckRuns(): Promise<void> {
    const { store, submit } = this.options
    const stuck = new Set(await store.findStuckRuns(SLICE))
    for (const runId of stuck) {
      if (!this.suspects.has(runId)) continue
      this.count('stuck_run', 1)
      await submit({ runId, command: { kind: 'advance' } })
    }
    this.suspects = stuck
  }

  private count(what: ReconcilerFind, found: number): void {
    if (found === 0) return
    reconcileMetrics.moved.inc({ what }, found)
    this.options.logger.warn({ what, found }, 'the reconciler found something that had not moved')
  }
}
