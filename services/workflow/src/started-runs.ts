import type { EventBus } from '@millrace/events'
import type { Logger } from '@millrace/logger'
import { createBatcher } from '@millrace/postgres'
import type { SchedulerGateway } from './clients/scheduler.js'
import type { RunRequest } from './db/run-requests.js'
import { startedOf } from './run-order.js'

interface StartedRunsOptions {
  scheduler: Pick<SchedulerGateway, 'takeRuns'>
  bus: Pick<EventBus, 'hint'>
  logger: Logger
}

/** Many at once are read from the log in pages, which costs less for each. */
const MOST_RUNS = 50
/** Of all of them together: no message holds more than 4 MiB. */
const MOST_BYTES = 1024 * 1024
/** What waits for a call: beyond it the log is faster. */
const MOST_WAITING = 100
/** After a call that failed nobody waits for another one. */
const REST_MS = 1_000
/** Nobody but the scheduler is waited for: other readers of the log may share a hint. */
const OTHERS_WITHIN_MS = 30

const isFew = (runs: readonly RunRequest[]): boolean =>
  runs.length <= MOST_RUNS && runs.reduce((sum, { inputJson }) => sum + inputJson.length, 0) <= MOST_BYTES / MOST_RUNS

/**
 * Gives runs that were just committed to the scheduler, without the way through the log: no NOTIFY, no page to read. The
 * log has them too, so whatever fails here only takes longer.
 */
export class StartedRuns {
  private readonly batcher
  private waiting = 0
  private restUntil = Number.NEGATIVE_INFINITY
  private closing = false

  constructor(private readonly options: StartedRunsOptions) {
    this.batcher = createBatcher<RunRequest, undefined>({
      run: async (runs) => {
        await this.give(runs)
        return runs.map(() => undefined)
      },
      maxBatch: MOST_RUNS,
      concurrency: 2,
    })
  }

  committed(runs: readonly RunRequest[]): void {
    const fit = runs.length > 0 && isFew(runs) && this.waiting + runs.length <= MOST_WAITING
    if (!fit || this.rests) {
      this.options.bus.hint()
      return
    }
    this.waiting += runs.length
    for (const run of runs) void this.batcher.submit(run)
  }

  /** Waits for the calls that are under way, and makes no other. */
  close(): Promise<void> {
    this.closing = true
    return this.batcher.close()
  }

  private get rests(): boolean {
    return this.closing || performance.now() < this.restUntil
  }

  /** Never fails. */
  private async give(runs: readonly RunRequest[]): Promise<void> {
    const { scheduler, bus, logger } = this.options
    this.waiting -= runs.length
    if (this.rests) {
      bus.hint()
      return
    }
    try {
      await scheduler.takeRuns(runs.map((run) => ({ started: startedOf(run), traceparent: run.traceparent ?? '' })))
      bus.hint({ withinMs: OTHERS_WITHIN_MS })
    } catch (error) {
      this.restUntil = performance.now() + REST_MS
      logger.debug({ err: error }, 'new runs reach the scheduler by their events')
      bus.hint()
    }
  }
}
