import { AsyncResource } from 'node:async_hooks'
import type { metadata } from '@millrace/contracts'
import type { Logger } from '@millrace/logger'
import { Backoff } from '../session/backoff.js'
import { logDropsTotal } from '../telemetry.js'

export type LogLine = Required<metadata.LogLine> & { seq: number; message: string }

export interface LogShipperOptions {
  append: (lines: LogLine[]) => Promise<unknown>
  logger: Logger
  /** Beyond it the oldest lines go. */
  maxBufferedLines?: number
  maxBatchLines?: number
  retryMs?: { initial: number; max: number }
}

const maxBatchBytes = 1024 * 1024

/**
 * Sends lines by back-pressure: the first goes at once, what comes meanwhile goes in the next batch. A batch that
 * failed is sent again unchanged, since a line's place is (task, attempt, seq) and repeating it adds nothing.
 */
export class LogShipper {
  private waiting: LogLine[] = []
  private inFlight: LogLine[] = []
  private running: Promise<void> | undefined
  private abandoned = false
  private readonly backoff: Backoff
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
    this.backoff.wake()
    await Promise.race([this.running, late])
    clearTimeout(timer)
    return this.size === 0
  }

  /** Gives up what could not be sent. */
  abandon(): void {
    this.abandoned = true
    if (this.waiting.length > 0) logDropsTotal.inc(this.waiting.length)
    this.waiting = []
    this.backoff.wake()
  }

  /** A tenth at once, so that shifting the buffer is rare; the last line dropped becomes the marker in its place. */
  private dropOldest(): void {
    const count = Math.max(1, Math.ceil(this.maxBuffered / 10))
    const dropped = this.waiting.splice(0, count)
    const last = dropped.at(-1)
    logDropsTotal.inc(dropped.length)
    if (!last) return
    const before = dropped.reduce((sum, line) => sum + (markers.get(line) ?? 1), 0)
    const message = `… ${before} log lines of this worker were dropped here: the log store was out of reach`
    const marker: LogLine = { ...last, level: 'warn', stream: 'system', message }
    markers.set(marker, before)
    this.waiting.unshift(marker)
  }

  private async run(): Promise<void> {
    // Lines pushed in the same turn share the first batch, and a report of that turn goes out before them.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.waiting.length > 0 && !this.abandoned) {
      this.inFlight = this.take()
      await this.sendUntilStored()
      this.inFlight = []
    }
    this.running = undefined
  }

  private async sendUntilStored(): Promise<void> {
    while (!this.abandoned) {
      try {
        await this.options.append(this.inFlight)
        this.backoff.reset()
        return
      } catch (error) {
        if (isRefusal(error) && this.inFlight.length > 1) {
          // One line that is refused must not take its neighbours along.
          this.waiting.unshift(...this.inFlight.splice(Math.ceil(this.inFlight.length / 2)))
        } else if (isRefusal(error)) {
          this.options.logger.error({ err: error, lines: this.inFlight.length }, 'the log store refused a batch')
          logDropsTotal.inc(this.inFlight.length)
          return
        } else {
          this.options.logger.warn({ err: error }, 'log lines could not be stored yet')
          await this.backoff.wait()
        }
      }
    }
    logDropsTotal.inc(this.inFlight.length)
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

/** How many lines a marker stands for, in case it is dropped in turn. */
const markers = new WeakMap<LogLine, number>()

const refusals: ReadonlySet<unknown> = new Set([
  'malformed',
  'unprocessable',
  'too_large',
  'not_found',
  'permission_denied',
])

function isRefusal(error: unknown): boolean {
  return refusals.has((error as { code?: unknown } | undefined)?.code)
}
