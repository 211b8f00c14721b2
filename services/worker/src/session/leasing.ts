import type { Logger } from '@millrace/logger'
import type { Lease } from '../executors/executor.js'
import { Backoff } from './backoff.js'
import type { DispatchClient, SessionKey } from './dispatch-client.js'
import { isSessionOver } from './session-error.js'
import type { Slots } from './slots.js'

export interface LeasingOptions {
  client: DispatchClient
  session: SessionKey
  slots: Slots
  logger: Logger
  /** Ends the open call and all that would follow. */
  signal: AbortSignal
  accepting: () => boolean
  onLeases: (leases: Lease[]) => void
  onSessionOver: () => void
  waitMs: number
}

/** At most one long poll is open, and only while slots are free that no other call has asked for. */
export class Leasing {
  private open = false
  private passingHint = false
  private readonly backoff = new Backoff({ initial: 50, max: 2_000 })

  constructor(private readonly options: LeasingOptions) {}

  fill(): void {
    const { slots, signal, accepting } = this.options
    if (this.open || signal.aborted || !accepting() || slots.free === 0) return
    this.open = true
    void this.poll()
  }

  /**
   * There may be work. With no request open one is made; the open one may wait at a scheduler that was not told, which is
   * told so. One such message at a time.
   */
  hint(): void {
    if (this.open) this.passHint()
    else this.fill()
  }

  private passHint(): void {
    const { client, session, signal, accepting, logger } = this.options
    if (this.passingHint || signal.aborted || !accepting()) return
    this.passingHint = true
    client
      .leaseTasks({ session, max: 0, waitMs: 0, hinted: true }, { timeoutMs: 2_000, signal })
      .catch((error: unknown) => logger.debug({ err: error }, 'the scheduler did not hear a hint'))
      .finally(() => {
        this.passingHint = false
      })
  }

  private async poll(): Promise<void> {
    const { slots } = this.options
    const max = slots.promiseAll()
    const askedAt = performance.now()
    let leases: Lease[] | undefined
    try {
      leases = await this.ask(max)
    } finally {
      slots.settle(max)
    }
    if (leases && leases.length > 0) this.options.onLeases(leases)
    // An empty answer long before its time comes from a scheduler that is stopping or has paused this worker.
    const early = performance.now() - askedAt < this.options.waitMs / 2
    if (leases && (leases.length > 0 || !early)) this.backoff.reset()
    else await this.backoff.wait(this.options.signal)
    this.open = false
    this.fill()
  }

  private async ask(max: number): Promise<Lease[] | undefined> {
    const { client, session, waitMs, signal, logger } = this.options
    try {
      const reply = await client.leaseTasks({ session, max, waitMs }, { timeoutMs: waitMs + 5_000, signal })
      return reply.leases
    } catch (error) {
      if (signal.aborted) return undefined
      if (isSessionOver(error)) this.options.onSessionOver()
      else logger.warn({ err: error }, 'the scheduler did not answer a request for tasks')
      return undefined
    }
  }
}
