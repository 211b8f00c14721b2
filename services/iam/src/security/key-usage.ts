import type { Logger } from '@millrace/logger'
import type { Pool } from '@millrace/postgres'
import { recordKeyUses } from '../db/api-keys.js'

/** When each API key was last used: noted in memory for every request, written for all keys together. */
export class KeyUsage {
  private used = new Map<string, number>()
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly pool: Pool,
    private readonly logger: Logger,
    private readonly flushMs: number,
  ) {}

  start(): void {
    this.timer = setInterval(() => void this.flush(), this.flushMs)
    this.timer.unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.timer)
    await this.flush()
  }

  note(keyId: string): void {
    this.used.set(keyId, Date.now())
  }

  /** What cannot be written is kept, unless it was used again meanwhile. */
  async flush(): Promise<void> {
    const { used } = this
    if (used.size === 0) return
    this.used = new Map()
    try {
      await recordKeyUses(this.pool, used)
    } catch (error) {
      this.logger.warn({ err: error }, 'the last use of API keys could not be written')
      for (const [keyId, at] of used) if (!this.used.has(keyId)) this.used.set(keyId, at)
    }
  }
}
