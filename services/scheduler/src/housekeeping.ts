import type { Logger } from '@millrace/logger'
import type { Pool } from '@millrace/postgres'
import { measure } from './db/measure.js'
import { countBacklog } from './db/queues.js'
import { countWorkers, removeOldSessions } from './db/workers.js'
import { Loop } from './engine/loop.js'
import { controlMetrics, showMeasures } from './engine/metrics.js'

const EVERY_MS = 5000
const SLICE = 500
/** Counting takes at most this part of the time, however much there is to count. */
const MEASURE_SHARE = 0.01

/** What nobody waits for: counts for the metrics, and sessions that ended long ago. */
export class Housekeeping extends Loop {
  private measureAfter = 0

  constructor(
    private readonly pool: Pool,
    logger: Logger,
  ) {
    super({ name: 'housekeeping', everyMs: EVERY_MS, logger })
  }

  protected override async turn(): Promise<void> {
    const workers = await countWorkers(this.pool)
    for (const state of ['active', 'paused', 'draining']) {
      controlMetrics.workers.set({ state }, workers.get(state) ?? 0)
    }
    const { depth, paused_queues: pausedQueues } = await countBacklog(this.pool)
    controlMetrics.waiting.set(depth)
    controlMetrics.pausedQueues.set(pausedQueues)
    await this.measure()
    await removeOldSessions(this.pool, SLICE)
  }

  private async measure(): Promise<void> {
    const startedAt = performance.now()
    if (startedAt < this.measureAfter) return
    showMeasures(await measure(this.pool))
    const endedAt = performance.now()
    this.measureAfter = endedAt + (endedAt - startedAt) / MEASURE_SHARE
  }
}
