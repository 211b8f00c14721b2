import type { Logger } from '@millrace/logger'
import type { Pool } from '@millrace/postgres'
import { countOverdue, findStuckRuns, removeDeadQueueRows, restoreLostQueueRows } from '../db/reconcile.js'
import type { AfterWrite } from './engine-context.js'
import type { LaneItem, LaneOutcome } from './lane-item.js'
import { Loop } from './loop.js'
import { reconcileMetrics } from './metrics.js'

const SLICE = 500

/**
 * Finds what should have moved and did not, moves it and counts it. In a run without faults the count stays zero:
 * anything else is a lost wake-up somewhere, and a defect.
 */
export class Reconciler {
  private readonly loop: Loop
  /** Seen stuck once: a run between two statements looks stuck for a moment. */
  private suspects = new Set<string>()

  constructor(
    private readonly options: {
      pool: Pool
      everyMs: number
      submit: (item: LaneItem) => Promise<LaneOutcome>
      after: AfterWrite
      logger: Logger
    },
  ) {
    this.loop = new Loop('reconciler', options.everyMs, () => this.turn(), options.logger)
  }

  start(): void {
    this.loop.start()
  }

  stop(): Promise<void> {
    return this.loop.stop()
  }

  private async turn(): Promise<void> {
    const { pool, after } = this.options
    this.count('dead_queue_row', await removeDeadQueueRows(pool, SLICE))
    const restored = await restoreLostQueueRows(pool, SLICE)
    this.count('lost_queue_row', restored)
    if (restored > 0) after.queued()
    const overdue = await countOverdue(pool)
    this.count('overdue_timer', overdue.timers)
    this.count('overdue_inbox', overdue.inbox)
    await this.freeStuckRuns()
  }

  private async freeStuckRuns(): Promise<void> {
    const { pool, submit } = this.options
    const stuck = new Set(await findStuckRuns(pool, SLICE))
    for (const runId of stuck) {
      if (!this.suspects.has(runId)) continue
      this.count('stuck_run', 1)
      await submit({ runId, command: { kind: 'advance' } })
    }
    this.suspects = stuck
  }

  private count(what: string, found: number): void {
    if (found === 0) return
    reconcileMetrics.moved.inc({ what }, found)
    this.options.logger.warn({ what, found }, 'the reconciler found something that had not moved')
  }
}
