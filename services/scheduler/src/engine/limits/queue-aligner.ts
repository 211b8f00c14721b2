import type { Logger } from '@millrace/logger'
import type { Announce } from '../announce.js'
import type { Environment } from '../environment.js'
import { Loop } from '../loop.js'
import type { LimitStore } from '../store.js'

const POLL_MS = 1000
const SLICE = 2000

/**
 * A queue's limits change while tasks stand in it and run, and a replica may not know of a change yet. This brings them
 * in agreement: at once after a change that this replica knows of, and again and again for what others did.
 */
export class QueueAligner extends Loop {
  private aligned = false

  constructor(
    private readonly options: {
      store: LimitStore
      env: Environment
      announce: Announce
      logger: Logger
      /** Where no queue has settings there is nothing to do. */
      needed: () => boolean
    },
  ) {
    super({ name: 'queue-limits', everyMs: POLL_MS, logger: options.logger, env: options.env })
  }

  protected override async turn(): Promise<void> {
    const { store, announce, needed } = this.options
    if (!needed()) return
    for (let more = true; more; ) {
      const { moved, adopted, unparked } = await store.alignQueues(!this.aligned, SLICE)
      more = Math.max(moved, adopted, unparked) === SLICE
      if (moved + unparked > 0) announce({ queued: { limited: true } })
    }
    this.aligned = true
  }
}
