import type { Logger } from '@millrace/logger'
import { type Environment, realEnvironment } from './environment.js'

const MAX_REST_MS = 30_000

/**
 * Does something again and again: after a pause, or at once when poked. A failure is logged and the next turn comes all
 * the same. One turn at a time; a poke during a turn leads to one more.
 */
export class Loop {
  private callOff: (() => void) | null = null
  private turning: Promise<void> | null = null
  private poked = false
  private stopped = true

  constructor(
    private readonly name: string,
    private readonly everyMs: number,
    private readonly turn: () => Promise<void>,
    private readonly logger: Logger,
    private readonly env: Environment = realEnvironment,
    /** A turn that took long is followed by a pause so many times as long: what is not urgent must not crowd out what is. */
    private readonly rest = 0,
  ) {}

  start(): void {
    this.stopped = false
    this.poke()
  }

  poke(): void {
    if (this.stopped) return
    if (this.turning) {
      this.poked = true
      return
    }
    this.callOff?.()
    this.callOff = null
    this.turning = this.once()
  }

  async stop(): Promise<void> {
    this.stopped = true
    this.callOff?.()
    await this.turning
  }

  private async once(): Promise<void> {
    const began = this.env.now()
    try {
      await this.turn()
    } catch (error) {
      if (!this.stopped) this.logger.warn({ err: error, loop: this.name }, 'a turn failed')
    }
    this.turning = null
    if (this.stopped) return
    if (this.poked) {
      this.poked = false
      this.poke()
      return
    }
    const pauseMs = Math.max(this.everyMs, Math.min(MAX_REST_MS, this.rest * (this.env.now() - began)))
    this.callOff = this.env.after(pauseMs, () => this.poke())
  }
}
