import type { Logger } from '@millrace/logger'

/** A NOTIFY serialises with other commits: under load one of them speaks for all that was queued meanwhile. */
const EVERY_MS = 10

/**
 * Tells other replicas that tasks wait here which no worker of this one took, so that a worker that waits there gets them
 * before the next poll. The broker's doorbell reaches one worker of the platform, and none of those far away.
 */
export class QueueHints {
  private waiting = false
  private sending: Promise<void> | undefined
  private sentAt = Number.NEGATIVE_INFINITY
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly id: string,
    private readonly send: (payload: string) => Promise<void>,
    private readonly logger: Logger,
  ) {}

  queued(): void {
    this.waiting = true
    if (this.sending !== undefined || this.timer !== undefined) return
    const wait = this.sentAt + EVERY_MS - performance.now()
    if (wait <= 0) this.tell()
    else this.later(wait)
  }

  /** Whether another replica says that tasks wait. */
  hears(payload: string): boolean {
    try {
      const { from, queued } = JSON.parse(payload) as { from?: string; queued?: boolean }
      return queued === true && from !== this.id
    } catch {
      return false
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.timer)
    await this.sending
    clearTimeout(this.timer)
  }

  private tell(): void {
    this.waiting = false
    this.sentAt = performance.now()
    this.sending = this.send(JSON.stringify({ from: this.id, queued: true }))
      .catch((error: unknown) =>
        this.logger.debug({ err: error }, 'other replicas will find queued tasks by their poll'),
      )
      .finally(() => {
        this.sending = undefined
        if (this.waiting) this.later(EVERY_MS)
      })
  }

  private later(ms: number): void {
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.tell()
    }, ms)
    this.timer.unref()
  }
}
