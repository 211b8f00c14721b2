import type { JobStore, LogLine, LogScope, PlacedLine, TailPage } from '@millrace/job-store'
import type { FollowConfig } from '../config.js'
import type { LogWriter } from './log-writer.js'
import { PageSize } from './page-size.js'
import type { Bell } from './run-bells.js'

export interface FollowOptions {
  store: Pick<JobStore, 'tailLogs' | 'skipLogs'>
  scope: LogScope
  /** A position that an earlier stream gave out; undefined = from the first line. */
  from: string | undefined
  /** Ends after so many lines. */
  limit: number
  /** The reader wants the end: too far behind it, it is told how many lines it missed and goes on near the end. */
  atEnd: boolean
  /** Epoch milliseconds of the end of what is followed; undefined while it goes on. */
  finishedAt: () => Promise<number | undefined>
  writer: Pick<LogWriter, 'lines' | 'missed'>
  bell: Bell
  signal: AbortSignal
  config: FollowConfig
}

/** Resolves once what is followed has ended, all its lines were sent, and none came for a grace; or on abort. */
export async function followLogs(options: FollowOptions): Promise<void> {
  const { bell, signal, config } = options
  const follower = new Follower(options)
  let lastLineAt = 0
  let first = true
  while (!signal.aborted) {
    // Asked before the sweep: what was stored by the end is then within it.
    const finishedAt = await options.finishedAt()
    const count = await follower.sweep()
    if (follower.left <= 0) return
    // What was there before says nothing about what may still come.
    if (count > 0 && !first) lastLineAt = Date.now()
    first = false
    if (finishedAt === undefined) {
      await bell.wait(config.pollMs, signal)
      continue
    }
    const quietUntil = Math.min(Math.max(finishedAt, lastLineAt) + config.graceMs, finishedAt + config.maxGraceMs)
    const waitMs = quietUntil - Date.now()
    if (waitMs <= 0) return
    await bell.wait(Math.min(waitMs, config.pollMs), signal)
  }
}

class Follower {
  left: number
  private position: string | undefined
  /** Places of the lines that were sent and yet lie behind the position: they will be given again. */
  private readonly sent = new Set<string>()
  private readonly size = new PageSize()

  constructor(private readonly options: FollowOptions) {
    this.left = options.limit
    this.position = options.from
  }

  /** From where the last one stopped to the end of what is there; answers how many lines were sent. */
  async sweep(): Promise<number> {
    const { store, scope, signal } = this.options
    let next = this.position
    let count = 0
    for (;;) {
      const page = await store.tailLogs(scope, {
        limit: this.size.lines,
        ...(next === undefined ? {} : { from: next }),
      })
      this.size.observe(page.lines)
      count += await this.send(page)
      this.position = page.position
      if (page.next === null || signal.aborted || this.left <= 0) break
      next = (await this.skipAhead(page.position)) ?? page.next
    }
    return count
  }

  private async send(page: TailPage): Promise<number> {
    const fresh = inReadingOrder(page.lines, this.options.scope, page.begun)
      .filter((line) => !this.sent.has(placeOf(line)))
      .slice(0, this.left)
    if (fresh.length > 0) await this.options.writer.lines(fresh)
    this.left -= fresh.length
    for (const line of page.lines) {
      if (line.mayRepeat) this.sent.add(placeOf(line))
      else this.sent.delete(placeOf(line))
    }
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

const placeOf = (line: LogLine): string => `${line.jobId}/${line.attempt}/${line.leaseId}/${line.seq}`

/**
 * Lines of one page as a plain read would order them. A position counts in order of arrival: a line's is that before the
 * first of those that are sent after it.
 */
function inReadingOrder(lines: readonly PlacedLine[], scope: LogScope, begun: string): PlacedLine[] {
  const byTime = (a: LogLine, b: LogLine) => a.at.getTime() - b.at.getTime()
  const byJob = (a: LogLine, b: LogLine) => a.attempt - b.attempt || byTime(a, b) || a.seq - b.seq
  const order = lines.map((_, index) => index)
  const compare = scope.jobId === undefined ? byTime : byJob
  order.sort((a, b) => compare(lines[a] as LogLine, lines[b] as LogLine))
  const sorted: PlacedLine[] = []
  let earliestUnsent = lines.length
  for (const index of order.toReversed()) {
    const position = earliestUnsent === 0 ? begun : (lines[earliestUnsent - 1]?.position ?? begun)
    sorted.push({ ...(lines[index] as PlacedLine), position })
    earliestUnsent = Math.min(earliestUnsent, index)
  }
  return sorted.reverse()
}
