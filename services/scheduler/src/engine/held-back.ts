import type { Logger } from '@millrace/logger'
import type { Environment } from './environment.js'
import { Loop } from './loop.js'

const POLL_MS = 250
const SLICE = 500

/** Lets tasks back into their queue once the wait that a worker asked for is over. */
export class HeldBack {
  private readonly loop: Loop

  constructor(options: {
    release: (limit: number) => Promise<number>
    queued: () => void
    env: Environment
    logger: Logger
  }) {
    const turn = async () => {
      let released: number
      do {
        released = await options.release(SLICE)
        if (released > 0) options.queued()
      } while (released === SLICE)
    }
    this.loop = new Loop('held-back', POLL_MS, turn, options.logger, options.env)
  }

  start(): void {
    this.loop.start()
  }

  stop(): Promise<void> {
    return this.loop.stop()
  }
}
