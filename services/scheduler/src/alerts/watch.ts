import type { Logger } from '@millrace/logger'
import type { Pool } from '@millrace/postgres'
import { type BacklogTerms, forgetAlerts, watchBacklogs } from '../db/alerts.js'
import { publishLateRuns } from '../db/run-watches.js'
import { Loop } from '../engine/loop.js'
import { alertMetrics } from './metrics.js'

const EVERY_MS = 1000
const SLICE = 500
const BACKLOG_MS = 5000
/** Counting queues takes at most this part of the time, however long they are. */
const BACKLOG_SHARE = 0.01

export interface WatchOptions extends BacklogTerms {
  pool: Pool
  logger: Logger
  /** Events were written. */
  published: () => void
}

/** Looks for what nobody reports: runs that are late and queues that grow. Any number of replicas may do so at once. */
export class Watch extends Loop {
  private backlogAfter = 0

  constructor(private readonly options: WatchOptions) {
    super({ name: 'watch', everyMs: EVERY_MS, logger: options.logger })
  }

  protected override async turn(): Promise<void> {
    const { pool, published } = this.options
    const { published: late, looked } = await publishLateRuns(pool, SLICE)
    for (const reason of late) alertMetrics.lateRuns.inc({ reason })
    await this.watchBacklogs()
    if (late.length > 0) published()
    if (looked === SLICE) this.poke()
  }

  private async watchBacklogs(): Promise<void> {
    const began = performance.now()
    if (began < this.backlogAfter) return
    alertMetrics.backlogs.set(await watchBacklogs(this.options.pool, this.options))
    await forgetAlerts(this.options.pool, SLICE)
    const ended = performance.now()
    this.backlogAfter = ended + Math.max(BACKLOG_MS, (ended - began) / BACKLOG_SHARE)
  }
}
