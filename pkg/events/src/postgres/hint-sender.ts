import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '@millrace/postgres'
import { HINT_CHANNEL } from './control-session.js'

/** A NOTIFY serialises with other commits, so under load one of them speaks for many hints. */
const minIntervalMs = 5

export class HintSender {
  private wanted = false
  private sending: Promise<void> | undefined

  constructor(
    private readonly pool: Pool,
    private readonly senderId: string,
  ) {}

  send(): void {
    this.wanted = true
    this.sending ??= this.run()
  }

  async close(): Promise<void> {
    await this.sending
  }

  private async run(): Promise<void> {
    while (this.wanted) {
      this.wanted = false
      const sql = { name: 'events-hint', text: 'select pg_notify($1, $2)', values: [HINT_CHANNEL, this.senderId] }
      // A lost hint is made good by the poll.
      await this.pool.query(sql).catch(() => undefined)
      await delay(minIntervalMs)
    }
    // In the same tick as the last look at `wanted`: a hint after it finds no sender and becomes one.
    this.sending = undefined
  }
}
