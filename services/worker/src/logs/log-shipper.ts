import { AsyncResource } from 'node:async_hooks'
import type { metadata } from '@millrace/contracts'
import { crashPoint } from '@millrace/crash-point'
import { type AppError, type ErrorCode, toAppError } from '@millrace/errors'
import type { Logger } from '@millrace/logger'
import { Backoff } from '../session/backoff.js'
import { logDropsTotal } from '../telemetry.js'
import { dropLines, isMarker } from './drop-marker.js'

export type LogLine = Required<metadata.LogLine> & { seq: number; message: string }

export interface LogShipperOptions {
  append: (lines: LogLine[]) => Promise<unknown>
  logger: Logger
  /** Beyond it the oldest lines go. */
  maxBufferedLines?: number
  maxBatchLines?: number
  retryMs?: { initial: number; max: number }
  /** From one batch to the next at least: each costs the store a flush to disk. */
  paceMs?: number
}

const maxBatchBytes = 1024 * 1024

/** Codes that a dying server or a broken connection gives as well as a store that cannot take the line. */
const unclear: ReadonlySet<ErrorCode> = new Set(['internal', 'cancelled'])
const maxUnclear = 10

/** Enough to find one bad line among 500 and more; a store that goes on refusing takes nothing of this batch. */
const maxRefusals = 20

/**
 * Sends lines by back-pressure: the first goes at once, what comes meanwhile, or in the moment after, goes in the next batch. A batch that
 * failed is sent again unchanged, since a line's place is (task, attempt, lease, seq) and repeating it adds nothing. What the
 * store refuses for good is given up, with a line in its place that says so.
 */
export class LogShipper {
  private waiting: LogLine[] = []
  private inFlight: LogLine[] = []
  private running: Promise<void> | undefined
  private abandoned = false
  /** Since a batch was last stored. */
  private refusals = 0
  private unclearFailures = 0
  private readonly backoff: Backoff
  private sentAt = Number.NEGATIVE_INFINITY
  private endPause: () => void = () => undefined
  private hurried = false
  private readonly maxBuffered: number
  private readonly maxBatch: number
  /** Bound to where the shipper was made: a line written inside a task's span must not put later batches into it. */
  private readonly runDetached = AsyncResource.bind(() => this.run())

  constructor(private readonly options: LogShipperOptions) {
    this.maxBuffered = options.maxBufferedLines ?? 20_000
    this.maxBatch = options.maxBatchLines ?? 500
    this.backoff = new Backoff(options.retryMs ?? { initial: 100, max: 5_000 })
  }

  get size(): number {
    return this.waiting.length + this.inFlight.length
  }

  push(line: LogLine): void {
    if (this.abandoned) return
    this.waiting.push(line)
    if (this.waiting.length > this.maxBuffered) this.dropOldest()
    this.running ??= this.runDetached()
  }

  /** Resolves true when all lines are stored, false when the time is over first. */
  async flush(timeoutMs: number): Promise<boolean> {
    if (!this.running) return true
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs)
    })
    this.hurried = true
    this.backoff.wake()
    this.endPause()
    await Promise.race([this.running, late])
    this.hurried = false
    clearTimeout(timer)
    return this.size === 0
  }

  /** Gives up what could not be sent. */
  abandon(): void {
    this.abandoned = true
    if (this.waiting.length > 0) logDropsTotal.inc(this.waiting.length)
    this.waiting = []
    this.backoff.wake()
    this.endPause()
  }

  /** A tenth at once, so that shifting the buffer is rare. */
  private dropOldest(): void {
    const [first, ...rest] = this.waiting.splice(0, Math.max(1, Math.ceil(this.maxBuffered / 10)))
    if (first) this.waiting.unshift(dropLines([first, ...rest], 'the log store was out of reach'))
  }

  private async run(): Promise<void> {
    // Lines pushed in the same turn share the first batch, and a report of that turn goes out before them.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.waiting.length > 0 && !this.abandoned) {
      await this.keepPace()
      this.inFlight = this.take()
      await this.sendUntilStored()
      this.sentAt = performance.now()
      this.inFlight = []
    }
    this.running = undefined
  }

  private async keepPace(): Promise<void> {
    const left = this.sentAt + (this.options.paceMs ?? 50) - performance.now()
    if (left <= 1 || this.hurried || this.abandoned) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, left)
      this.endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.endPause = () => undefined
  }

  private async sendUntilStored(): Promise<void> {
    while (!this.abandoned && this.inFlight.length > 0) {
      try {
        crashPoint('worker.logs.before')
        await this.options.append(this.inFlight)
        crashPoint('worker.logs.stored')
        this.backoff.reset()
        this.refusals = 0
        this.unclearFailures = 0
        return
      } catch (thrown) {
        const error = toAppError(thrown)
        if (this.isRefusal(error)) this.giveWay(error)
        else {
          this.options.logger.warn({ err: thrown }, 'log lines could not be stored yet')
          await this.backoff.wait()
        }
      }
    }
    logDropsTotal.inc(this.inFlight.length)
  }

  private isRefusal({ code, retryable }: AppError): boolean {
    if (retryable) return false
    if (!unclear.has(code)) return true
    this.unclearFailures += 1
    return this.unclearFailures > maxUnclear
  }

  /** One line that is refused must not take its neighbours along. */
  private giveWay(error: AppError): void {
    this.refusals += 1
    const refusesAll = error.code === 'unauthenticated' || this.refusals > maxRefusals
    if (this.inFlight.length > 1 && !refusesAll) {
      this.waiting.unshift(...this.inFlight.splice(Math.ceil(this.inFlight.length / 2)))
      return
    }
    const [first, ...rest] = this.inFlight.splice(0)
    if (!first) return
    this.options.logger.error({ err: error, lines: rest.length + 1 }, 'the log store refused log lines')
    const marker = dropLines([first, ...rest], `the log store refused (${error.reason})`)
    // Where even the markers are refused there is nowhere to say it.
    if (![first, ...rest].every(isMarker)) this.waiting.unshift(marker)
  }

  private take(): LogLine[] {
    let bytes = 0
    let count = 0
    for (const line of this.waiting) {
      bytes += line.message.length * 3 + 200
      if (count >= this.maxBatch || (count > 0 && bytes > maxBatchBytes)) break
      count++
    }
    return this.waiting.splice(0, count)
  }
}
