import type { Logger } from '@millrace/logger'
import type { AfterWrite } from '../engine-context.js'
import type { Environment } from '../environment.js'
import { Loop } from '../loop.js'
import type { LimitStore } from '../store.js'

const POLL_MS = 1000
const SLICE = 2000

/**
 * A queue's limits change while tasks stand in it and run, and a replica may not know of a change yet. This brings them
 * in line: at once after a change that this replica knows of, and again and again for what others did.
 */
export class QueueAligner {
  private readonly loop: Loop
  private aligned = false

  constructor(
    private readonly options: {
      store: LimitStore
      env: Environment
      after: AfterWrite
      logger: Logger
      /** Where no queue has settings there is nothing to do. */
      needed: () => boolean
    },
  ) {
    this.loop = new Loop('queue-limits', POLL_MS, () => this.turn(), options.logger, options.env)
  }

  start(): void {
    this.loop.start()
  }

  poke(): void {
    this.loop.poke()
  }

  stop(): Promise<void> {
    return this.loop.stop()
  }

  private async turn(): Promise<void> {
    const { store, after, needed } = this.options
    if (!needed()) return
    for (let more = true; more; ) {
      const { moved, adopted, unparked } = await store.alignQueues(!this.aligned, SLICE)
      more = Math.max(moved, adopted, unparked) === SLICE
      if (moved + unparked > 0) after.queuedLimited()
    }
    this.aligned = true
  }
}
