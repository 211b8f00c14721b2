import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@millrace/logger'
import { createPool, type Pool } from '@millrace/postgres'
import type { EventBus, HintOptions, SubscribeOptions, Subscription, Tail, TailOptions } from '../event-bus.js'
import { eventMetrics } from '../metrics.js'
import type { Topic } from '../topics.js'
import { ControlSession } from './control-session.js'
import { GroupReader } from './group-reader.js'
import { HintSender, readHint } from './hint-sender.js'
import { LogTail } from './log-tail.js'
import { OffsetStore } from './offset-store.js'
import { PageSource } from './page-source.js'
import { pruneEvents } from './retention.js'

export interface PostgresEventBusOptions {
  connectionString: string
  logger: Logger
  /** 0 keeps everything. */
  retentionDays?: number
}

/** The poll is the truth: it finds what no hint spoke of. While hints are heard it may be slow. */
const pollMs = 250
const slowPolls = 4
const lagEveryMs = 5_000
const pruneEveryMs = 3_600_000

/** The reader's side of the log table. Producers write with `appendEvents` in their own transactions. */
export function createPostgresEventBus(options: PostgresEventBusOptions): EventBus {
  return new PostgresEventBus(options)
}

interface Reader {
  topics: readonly Topic[]
  wake(): void
  stop(): Promise<void>
}

class PostgresEventBus implements EventBus {
  private readonly id = randomUUID()
  private readonly pool: Pool
  private readonly control: ControlSession
  private readonly pages: PageSource
  private readonly offsets: OffsetStore
  private readonly hints: HintSender
  private readonly readers = new Map<string, Reader>()
  private readonly tails = new Set<Reader>()
  private readonly timers: NodeJS.Timeout[]
  private closing: Promise<void> | undefined
  private pollsSkipped = 0

  constructor(private readonly options: PostgresEventBusOptions) {
    const { connectionString, logger } = options
    // Nothing the bus writes needs to wait for a disk: positions may be stored late, a dead letter precedes its position
    // in the write-ahead log, and a NOTIFY is a commit too.
    const settings = { synchronous_commit: 'off' }
    this.pool = createPool({ connectionString, schema: 'events', max: 5, applicationName: 'millrace-events', settings })
    this.control = new ControlSession({
      connectionString,
      logger,
      onHint: (payload) => {
        const { sender, topics } = readHint(payload)
        if (sender !== this.id) this.wake(topics)
      },
      onListening: () => this.wake(),
    })
    this.pages = new PageSource(this.pool)
    this.offsets = new OffsetStore(this.pool, logger)
    this.hints = new HintSender(this.pool, this.id)
    this.timers = [
      setInterval(() => this.poll(), pollMs),
      setInterval(() => void this.measureLag(), lagEveryMs),
      setInterval(() => void this.prune(), pruneEveryMs),
    ]
    for (const timer of this.timers) timer.unref()
  }

  async subscribe<T extends Topic>(subscribe: SubscribeOptions<T>): Promise<Subscription> {
    const { group, topics, handler, maxBatch = 500, paceMs = 0, floodPaceMs = paceMs } = subscribe
    if (this.closing !== undefined) throw new Error('the event bus is closed')
    if (this.readers.has(group)) throw new Error(`group ${group} already has a reader on this bus`)
    const { pool, offsets, control } = this
    const { logger } = this.options
    const pace = { maxBatch, paceMs, floodPaceMs }
    const pages = this.pages.open(topics, { mayLag: floodPaceMs > 0 })
    const reader = new GroupReader({ group, topics, handler, ...pace, pool, pages, offsets, control, logger })
    this.readers.set(group, { topics, wake: () => reader.wake(), stop: () => reader.stop() })
    try {
      await offsets.register(group)
    } catch (error) {
      this.readers.delete(group)
      pages.close()
      throw error
    }
    reader.start()
    return {
      group,
      caughtUp: (signal) => this.untilCaughtUp(group, signal),
      close: async () => {
        if (!this.readers.delete(group)) return
        await reader.stop()
        pages.close()
      },
    }
  }

  async tail<T extends Topic>(options: TailOptions<T>): Promise<Tail> {
    if (this.closing !== undefined) throw new Error('the event bus is closed')
    const { pool, control } = this
    const { topics } = options
    const pages = this.pages.open(topics)
    const tail = new LogTail({ ...options, pool, pages, logger: this.options.logger })
    const reader: Reader = { topics, wake: () => tail.wake(), stop: () => tail.stop() }
    // A bus without a group listens for hints only from here on.
    control.listen()
    this.tails.add(reader)
    const close = async () => {
      if (!this.tails.delete(reader)) return
      await tail.stop()
      pages.close()
    }
    try {
      await tail.start()
    } catch (error) {
      await close()
      throw error
    }
    return { close }
  }

  hint({ topics, withinMs = 0 }: HintOptions = {}): void {
    if (this.closing !== undefined) return
    this.wake(topics && new Set(topics))
    this.hints.send(topics, withinMs)
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown()
    return this.closing
  }

  private async shutDown(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer)
    await Promise.all([...this.readers.values(), ...this.tails].map((reader) => reader.stop()))
    await this.offsets.close()
    await this.hints.close()
    await this.control.close()
    await this.pool.end()
  }

  private poll(): void {
    this.pollsSkipped += 1
    if (this.control.isListening && this.pollsSkipped < slowPolls) return
    this.pollsSkipped = 0
    this.wake()
  }

  private wake(topics?: ReadonlySet<string>): void {
    for (const reader of [...this.readers.values(), ...this.tails]) {
      if (topics === undefined || reader.topics.some((topic) => topics.has(topic))) reader.wake()
    }
  }

  /** By the stored position, which all readers of the group share. */
  private async untilCaughtUp(group: string, signal: AbortSignal): Promise<void> {
    const { rows } = await this.pool.query<{ head: number | null }>('select max(id) as head from log')
    const head = rows[0]?.head ?? 0
    const reached = async () => {
      const sql = 'select position from groups where name = $1'
      return (await this.pool.query<{ position: number }>(sql, [group])).rows[0]?.position ?? 0
    }
    while ((await reached()) < head) await delay(pollMs, undefined, { signal })
  }

  private async measureLag(): Promise<void> {
    try {
      const { rows } = await this.pool.query<{ head: number | null }>('select max(id) as head from log')
      for (const group of this.readers.keys()) {
        const position = this.offsets.get(group)
        if (position !== undefined) eventMetrics.lag.set({ group }, Math.max(0, (rows[0]?.head ?? position) - position))
      }
    } catch (error) {
      this.options.logger.debug({ err: error }, 'the lag of event groups could not be measured')
    }
  }

  private async prune(): Promise<void> {
    const days = this.options.retentionDays ?? 7
    if (days === 0) return
    try {
      const deleted = await pruneEvents(this.pool, { days })
      if (deleted > 0) this.options.logger.info({ deleted }, 'old events were deleted')
    } catch (error) {
      this.options.logger.warn({ err: error }, 'old events could not be deleted; trying again later')
    }
  }
}
