import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from '@millrace/errors'
import type { Logger } from '@millrace/logger'
import type { Pool } from '@millrace/postgres'
import { eventMetrics } from '../../metrics.js'
import type { LogRow } from '../../postgres/log-row.js'
import { WakeSignal } from '../../postgres/wake-signal.js'
import type { Sender } from '../sender.js'
import { LowWaterMark } from './low-water-mark.js'
import { parkRefused, readOutbox, removeSent } from './outbox-sql.js'
import { beat, type HeldPart, leaveRelays, PARTS, releaseParts } from './relay-parts.js'
import { sendRows } from './send-rows.js'

export interface RelayOptions {
  pool: Pool
  sender: Sender
  prefix: string
  /** The topics exist once this resolves. */
  prepared: () => Promise<void>
  /** Parts were given up: other relays may take them. */
  released: () => void
  logger: Logger
}

const beatMs = 1_000
const pollMs = 250
const longestBackoffMs = 1_000

/**
 * Carries events from the outbox to the broker. One batch is in flight; one that failed is sent again before anything
 * later, so order holds for each key. A crash between sending and removing sends twice, never too little.
 */
export class Relay {
  private readonly id = randomUUID()
  private readonly stopping = new AbortController()
  private readonly signal = new WakeSignal()
  private readonly lowWaterMark = new LowWaterMark()
  private held: HeldPart[] = []
  private share = PARTS
  private validUntil = 0
  /** Raised when a part was lost: a batch read before that is not sent any more. */
  private losses = 0
  private beating: Promise<void> | undefined
  private running: Promise<void> = Promise.resolve()
  private timers: NodeJS.Timeout[] = []

  constructor(private readonly options: RelayOptions) {}

  start(): void {
    this.timers = [setInterval(() => void this.beat(), beatMs), setInterval(() => this.wake(), pollMs)]
    for (const timer of this.timers) timer.unref()
    this.running = this.run()
  }

  /** There may be something to send. */
  wake(): void {
    this.signal.wake()
  }

  /** Parts may have become free. */
  reclaim(): void {
    void this.beat()
  }

  get ownsAll(): boolean {
    return this.held.length === PARTS
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    for (const timer of this.timers) clearInterval(timer)
    this.wake()
    await this.running
    await this.beating
    const { pool, released } = this.options
    await Promise.all([releaseParts(pool, this.id, this.held), leaveRelays(pool, this.id)]).catch(() => undefined)
    this.held = []
    eventMetrics.relayParts.set(0)
    released()
  }

  private get stopped(): boolean {
    return this.stopping.signal.aborted
  }

  private async run(): Promise<void> {
    const { prepared, logger } = this.options
    let sent: number[] = []
    while (!this.stopped) {
      try {
        await prepared()
        if (this.held.length === 0) await this.beat()
        sent = await this.turn(sent)
      } catch (error) {
        if (this.stopped) break
        // What was removed may not have been: the next look starts from the ground.
        this.lowWaterMark.reset()
        logger.warn({ err: error }, 'the relay of events failed; trying again')
        await this.pause(longestBackoffMs / 2)
      }
    }
    await removeSent(this.options.pool, sent).catch(() => undefined)
  }

  /** Removes what was sent, sends what comes next, and answers what that was. */
  private async turn(sent: readonly number[]): Promise<number[]> {
    const { pool } = this.options
    const { losses, held } = this
    await removeSent(pool, sent)
    const looked = await readOutbox(pool, held, this.lowWaterMark)
    if (losses === this.losses && held === this.held) this.lowWaterMark.looked(looked)
    const { rows } = looked
    if (rows.length === 0) {
      eventMetrics.outboxAge.set(0)
      await this.giveUpSurplus()
      await this.signal.wait()
      return []
    }
    await this.send(rows, losses)
    await this.giveUpSurplus()
    return rows.map(({ id }) => id)
  }

  private async send(rows: readonly LogRow[], losses: number): Promise<void> {
    const { sender, prefix, pool, logger } = this.options
    let failures = 0
    await sendRows(rows, {
      prefix,
      send: async (batch) => {
        eventMetrics.outboxAge.set(Math.max(0, (Date.now() - (rows[0]?.time.getTime() ?? 0)) / 1_000))
        if (losses !== this.losses || performance.now() > this.validUntil) throw new LeaseLostError()
        await sender.send(batch)
      },
      failed: async (error) => {
        if (error instanceof LeaseLostError || this.stopped) throw error
        eventMetrics.relayFailures.inc()
        if (failures === 0) logger.warn({ err: error, events: rows.length }, 'Kafka does not take events; they wait')
        failures += 1
        await this.pause(backoffMs(failures, { firstMs: 100, maxMs: longestBackoffMs }))
      },
      refused: async (row, error) => {
        await parkRefused(pool, row, String(error))
        eventMetrics.deadLettered.inc({ group: 'relay', topic: row.topic })
        logger.error({ err: error, topic: row.topic, eventId: row.eventId }, 'Kafka refused an event for good')
      },
    })
    if (failures > 0) logger.info({ failures }, 'Kafka takes events again')
    eventMetrics.relayed.inc(rows.length)
  }

  /** Between batches only: what is in flight is ours. */
  private async giveUpSurplus(): Promise<void> {
    if (this.held.length <= this.share) return
    const { pool, released } = this.options
    const surplus = this.held.slice(this.share)
    this.held = this.held.slice(0, this.share)
    await releaseParts(pool, this.id, surplus)
    eventMetrics.relayParts.set(this.held.length)
    released()
  }

  private beat(): Promise<void> {
    this.beating ??= this.beatOnce().finally(() => {
      this.beating = undefined
    })
    return this.beating
  }

  private async beatOnce(): Promise<void> {
    const { pool, logger } = this.options
    if (this.stopped) return
    try {
      const { held, share, validUntil } = await beat(pool, this.id)
      const now = new Map(held.map(({ part, epoch }) => [part, epoch]))
      const before = new Map(this.held.map(({ part, epoch }) => [part, epoch]))
      if ([...before].some(([part, epoch]) => now.get(part) !== epoch)) this.losses += 1
      if (held.some(({ part, epoch }) => before.get(part) !== epoch)) {
        this.lowWaterMark.reset()
        this.wake()
      }
      this.held = held
      this.share = share
      this.validUntil = validUntil
      eventMetrics.relayParts.set(held.length)
    } catch (error) {
      logger.debug({ err: error }, 'the relay could not extend its leases')
    }
  }

  private async pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined)
  }
}

class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
  constructor() {
    super('the lease of the part ended before its batch was sent')
  }
}
