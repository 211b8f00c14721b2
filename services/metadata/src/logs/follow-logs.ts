import type { JobStore, LogScope, PlacedLine, TailPage } from '@millrace/job-store'
import type { FollowConfig } from '../config.js'
import { type FeedPage, type LogView, logView } from './feed-page.js'
import type { LogFormat, LogWriter } from './log-writer.js'
import { PageSize } from './page-size.js'
import { inReadingOrder, isInScope, placeOf } from './reading-order.js'
import type { FeedHead, FindEnd, RunFeed } from './run-feed.js'

export interface FollowOptions {
  store: Pick<JobStore, 'tailLogs' | 'skipLogs'>
  feed: RunFeed
  scope: LogScope
  format: LogFormat
  /** A position that an earlier stream gave out; undefined = from the first line. */
  from: string | undefined
  /** Ends after so many lines. */
  limit: number
  /** The reader wants the end: too far behind it, it is told how many lines it missed and goes on near the end. */
  atEnd: boolean
  finishedAt: FindEnd
  writer: Pick<LogWriter, 'lines' | 'encoded' | 'missed'>
  signal: AbortSignal
  config: FollowConfig
}

/** Resolves once what is followed has ended, all its lines were sent, and none came for a grace; or on abort. */
export async function followLogs(options: FollowOptions): Promise<void> {
  const { feed, scope, signal, config } = options
  const end = feed.watchEnd(scope.jobId ?? scope.runId, options.finishedAt)
  const follower = new Follower(options)
  try {
    let lastLineAt = 0
    for (let first = true; !signal.aborted; first = false) {
      const count = await follower.advance()
      if (follower.left <= 0) return
      // What was there before says nothing about what may still come.
      if (count > 0 && !first) lastLineAt = Date.now()
      const finishedAt = end.value()
      if (finishedAt === undefined) {
        await follower.wait(undefined)
        continue
      }
      const quietUntil = Math.min(Math.max(finishedAt, lastLineAt) + config.graceMs, finishedAt + config.maxGraceMs)
      const waitMs = quietUntil - Date.now()
      if (waitMs <= 0) return
      await follower.wait(Math.min(waitMs, config.pollMs))
      if (!signal.aborted) await feed.refresh()
    }
  } finally {
    end.close()
  }
}

class Follower {
  left: number
  private position: string | undefined
  /** Of the feed; undefined = what comes next has to be read from the store. */
  private nextPage: number | undefined
  /** Lines that were sent and yet lie behind the position: they will be given again. */
  private sent = new Set<string>()
  private unsettled: readonly PlacedLine[] = []
  private readonly size = new PageSize()
  private readonly view: LogView

  constructor(private readonly options: FollowOptions) {
    this.left = options.limit
    this.position = options.from
    this.view = logView(options.scope, options.format)
  }

  async wait(timeoutMs: number | undefined): Promise<void> {
    const { feed, signal } = this.options
    if (this.nextPage !== undefined) await feed.wait(this.nextPage, timeoutMs, signal)
  }

  /** To the end of what is there; answers how many lines were sent. */
  async advance(): Promise<number> {
    const { feed, signal } = this.options
    let count = 0
    while (this.left > 0 && !signal.aborted) {
      if (this.nextPage === undefined) {
        count += await this.catchUp()
        continue
      }
      const page = feed.page(this.nextPage)
      if (page === undefined) break
      if (page === 'lost') this.leaveFeed()
      else count += await this.sendPage(page)
    }
    return count
  }

  private async sendPage(page: FeedPage): Promise<number> {
    const { lines, bytes } = page.encode(this.view)
    this.nextPage = (this.nextPage ?? 0) + 1
    this.position = page.position
    this.unsettled = page.unsettled
    const count = Math.min(lines.length, this.left)
    this.left -= count
    if (count < lines.length) await this.options.writer.lines(lines.slice(0, count))
    else await this.options.writer.encoded(bytes)
    return count
  }

  private leaveFeed(): void {
    this.nextPage = undefined
    this.sent = new Set(this.unsettled.filter((line) => isInScope(line, this.options.scope)).map(placeOf))
  }

  /** Reads the store up to where the feed is, and joins it there. */
  private async catchUp(): Promise<number> {
    const { store, scope, feed, signal } = this.options
    await feed.refresh()
    const { head } = feed
    let next = this.position
    let count = 0
    while (!signal.aborted) {
      const page = await store.tailLogs(scope, {
        limit: this.size.lines,
        until: head.position,
        ...(next !== undefined && { from: next }),
      })
      this.size.observe(page.lines)
      count += await this.send(page)
      this.position = page.position
      if (this.left <= 0) return count
      if (page.next === null) return count + (await this.join(head))
      const skippedTo = await this.skipAhead(page.position)
      // It may lie behind the head that was taken before.
      if (skippedTo !== undefined) {
        this.position = skippedTo
        return count
      }
      next = page.next
    }
    return count
  }

  private async join(head: FeedHead): Promise<number> {
    const { scope } = this.options
    const lines = head.unsettled.filter((line) => isInScope(line, scope) && !this.sent.has(placeOf(line)))
    this.nextPage = head.nextPage
    this.unsettled = head.unsettled
    this.sent.clear()
    return await this.sendLines(inReadingOrder(lines, scope, head.position))
  }

  private async send(page: TailPage): Promise<number> {
    const ordered = inReadingOrder(page.lines, this.options.scope, page.begun)
    const count = await this.sendLines(ordered.filter((line) => !this.sent.has(placeOf(line))))
    for (const line of page.lines) this.sent.delete(placeOf(line))
    return count
  }

  private async sendLines(lines: readonly PlacedLine[]): Promise<number> {
    const fresh = lines.slice(0, this.left)
    this.left -= fresh.length
    if (fresh.length > 0) await this.options.writer.lines(fresh)
    return fresh.length
  }

  private async skipAhead(from: string): Promise<string | undefined> {
    const { store, scope, atEnd, config, writer } = this.options
    if (!atEnd) return undefined
    const { position, count } = await store.skipLogs(scope, { keep: config.maxLagLines, from, settled: true })
    // What was sent already comes first among what lies behind the position, and was not missed.
    const missed = count - this.sent.size
    if (position === undefined || missed <= 0) return undefined
    this.sent.clear()
    await writer.missed(missed, position)
    return position
  }
}
