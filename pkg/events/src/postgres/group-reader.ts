import { setTimeout as delay } from 'node:timers/promises'
import { crashPoint } from '@millrace/crash-point'
import type { Logger } from '@millrace/logger'
import type { Pool } from '@millrace/postgres'
import type { EventOf } from '../cloud-event.js'
import { deliver } from '../deliver.js'
import { eventMetrics } from '../metrics.js'
import type { Topic } from '../topics.js'
import type { ControlSession, LockTerm } from './control-session.js'
import { insertDeadLetter } from './dead-letters.js'
import { LogCursor } from './log-cursor.js'
import type { LogRow } from './log-row.js'
import type { OffsetStore } from './offset-store.js'
import type { PageReader } from './page-source.js'
import { WakeSignal } from './wake-signal.js'

export interface GroupReaderOptions<T extends Topic> {
  group: string
  topics: readonly T[]
  handler: (events: EventOf<T>[]) => Promise<void>
  maxBatch: number
  paceMs: number
  floodPaceMs: number
  pool: Pool
  pages: PageReader
  offsets: OffsetStore
  control: ControlSession
  logger: Logger
}

const standbyMs = 250
/** So many events in one look are a flood. */
const floodSize = 1_000
const longestRestMs = 4_000

interface Progress {
  delivered: number
  /** How long it waited for what follows the beginning of a flood. */
  waitedMs: number
  /** There may be more at once. */
  more: boolean
}

interface Gathered extends Pick<Progress, 'waitedMs' | 'more'> {
  events: LogRow[]
}

/** What the active reader of a group keeps while it is active: begun at the stored position, dropped with the lock. */
interface Leadership {
  term: LockTerm
  cursor: LogCursor
}

export class GroupReader<T extends Topic> {
  private readonly stopping = new AbortController()
  private readonly signal = new WakeSignal()
  private running: Promise<void> = Promise.resolve()

  constructor(private readonly options: GroupReaderOptions<T>) {}

  start(): void {
    this.running = this.run()
  }

  wake(): void {
    this.signal.wake()
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    this.signal.wake()
    await this.running
  }

  private get stopped(): boolean {
    return this.stopping.signal.aborted
  }

  private async run(): Promise<void> {
    const { control, group, logger } = this.options
    while (!this.stopped) {
      try {
        const term = await control.tryLock(group)
        if (term === undefined) await this.pause(standbyMs)
        else await this.lead(term)
      } catch (error) {
        if (this.stopped) break
        logger.warn({ err: error, group }, 'reading events failed; starting over from the stored position')
        await this.pause(standbyMs)
      }
    }
  }

  private async lead(term: LockTerm): Promise<void> {
    const { control, group, offsets } = this.options
    try {
      crashPoint(`events.${group}.lead`)
      const leadership: Leadership = { term, cursor: new LogCursor(this.options, await offsets.load(group)) }
      while (!this.stopped && term.isHeld) {
        const began = performance.now()
        const progress = await this.advance(leadership)
        if (progress.delivered >= floodSize && this.options.floodPaceMs > 0) {
          await this.restInFlood(began, progress)
        } else if (!progress.more) {
          await this.signal.wait()
          await this.keepPace(began)
        }
      }
    } finally {
      await offsets.flush()
      offsets.release(group)
      // Also before another try: a session's lock counts how often it was taken.
      await control.unlock(group)
    }
  }

  private async keepPace(began: number): Promise<void> {
    const left = this.options.paceMs - (performance.now() - began)
    if (left > 1 && !this.stopped) await this.pause(left)
  }

  /** It works a third of the time, as long as one batch holds all that came meanwhile; else two thirds. */
  private async restInFlood(began: number, { waitedMs, delivered }: Progress): Promise<void> {
    const worked = performance.now() - began - waitedMs
    const rest = delivered >= this.options.maxBatch ? worked / 2 : worked * 2 - waitedMs
    if (rest > 0 && !this.stopped) await this.pause(Math.min(rest, longestRestMs))
  }

  private async advance({ term, cursor }: Leadership): Promise<Progress> {
    const { group, offsets } = this.options
    const { events, waitedMs, more } = await this.gather(cursor)
    await this.deliverAll(events)
    crashPoint(`events.${group}.delivered`)
    if (!term.isHeld) return { delivered: events.length, waitedMs, more: false }
    offsets.set(group, cursor.safePosition)
    eventMetrics.openGaps.set({ group }, cursor.openGaps)
    return { delivered: events.length, waitedMs, more }
  }

  /** The beginning of a flood waits for what follows it: the first event of a thing comes with its last. */
  private async gather(cursor: LogCursor): Promise<Gathered> {
    const { maxBatch, floodPaceMs } = this.options
    const { signal } = this.stopping
    const first = await cursor.next(maxBatch, signal)
    const missing = maxBatch - first.events.length
    // A full batch has nothing to wait for: so a reader that is far behind catches up.
    if (floodPaceMs === 0 || missing <= 0 || first.events.length < floodSize) return { ...first, waitedMs: 0 }
    await this.pause(floodPaceMs)
    if (this.stopped) return { ...first, waitedMs: floodPaceMs }
    const { events, more } = await cursor.next(missing, signal)
    return { events: [...first.events, ...events], more, waitedMs: floodPaceMs }
  }

  private async deliverAll(rows: LogRow[]): Promise<void> {
    const { group, handler, logger, maxBatch, pool } = this.options
    for (let start = 0; start < rows.length; start += maxBatch) {
      await deliver<T, LogRow>(rows.slice(start, start + maxBatch), {
        group,
        handler,
        logger,
        signal: this.stopping.signal,
        putAside: (letter) => insertDeadLetter(pool, group, letter),
      })
    }
  }

  private async pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined)
  }
}
