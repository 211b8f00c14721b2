import type { Logger } from '@millrace/logger'
import { type Environment, realEnvironment } from './environment.js'

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
    } else this.callOff = this.env.after(this.everyMs, () => this.poke())
  }
}
