import type { Logger } from '@millrace/logger'
import type { Announce } from './announce.js'
import type { Environment } from './environment.js'
import { Loop, SAFETY_POLL_MS } from './loop.js'
import type { LeaseStore } from './store.js'

const SLICE = 500

/** Lets tasks back into their queue once the wait that a worker asked for is over. */
export class DeferredTasks extends Loop {
  constructor(
    private readonly options: {
      store: Pick<LeaseStore, 'releaseDeferred'>
      announce: Announce
      env: Environment
      logger: Logger
    },
  ) {
    super({ name: 'deferred-tasks', everyMs: SAFETY_POLL_MS, logger: options.logger, env: options.env })
  }

  protected override async turn(): Promise<void> {
    const { store, announce } = this.options
    let released: number
    do {
      released = await store.releaseDeferred(SLICE)
      // Whether any of them is limited is not known here.
      if (released > 0) announce({ queued: { limited: true } })
    } while (released === SLICE)
  }
}
