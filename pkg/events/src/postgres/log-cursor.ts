import type { Pool } from '@millrace/postgres'
import type { Topic } from '../topics.js'
import { GapSet } from './gap-set.js'
import { isOneOf, type LogRow } from './log-row.js'
import { readGaps, readHead } from './log-sql.js'
import type { PageReader } from './page-source.js'

export interface LogCursorOptions {
  pool: Pool
  pages: PageReader
  topics: readonly Topic[]
}

const gapLimit = 1_000
/**
 * How far below the newest id a cursor that begins at the end looks for missing ids. They belong to transactions that took
 * them before it began and commit after; one that took its id longer ago than so many others is not seen.
 */
const lookBack = 20_000

/** One reader's way through the log: how far it has read, and which ids it has passed without seeing them. */
export class LogCursor {
  private readonly gaps = new GapSet()
  private readonly isWanted: ReturnType<typeof isOneOf>

  /** Every id up to `position` was seen or is in `gaps`. */
  constructor(
    private readonly options: LogCursorOptions,
    private position: number,
  ) {
    this.isWanted = isOneOf(new Set<Topic>(options.topics))
  }

  /** Sees whatever is committed from now on. */
  static async atEnd(options: LogCursorOptions): Promise<LogCursor> {
    const { head, lows, highs } = await readHead(options.pool, lookBack)
    const cursor = new LogCursor(options, head ?? 0)
    for (const [i, low] of lows.entries()) cursor.gaps.add(low, highs[i] ?? low)
    return cursor
  }

  /** Everything up to here was seen: where another reader may begin. */
  get safePosition(): number {
    return Math.min(this.position, (this.gaps.lowest ?? Number.POSITIVE_INFINITY) - 1)
  }

  get openGaps(): number {
    return this.gaps.size
  }

  /** What has come since, `atLeast` so many events if there are. `more`: read on before waiting for a hint. */
  async next(atLeast: number, signal: AbortSignal): Promise<{ events: LogRow[]; more: boolean }> {
    const { pages } = this.options
    const events: LogRow[] = []
    let more: boolean
    do {
      // The order matters: page first, gaps second. An event of the page may follow, for its key, one that just appeared
      // in a gap; a look at the gaps that is younger than the page finds that one, and it is delivered first.
      const page = await pages.read(this.position)
      events.push(...(await this.lookIntoGaps()))
      for (const row of page.rows) {
        // A page that others read may begin before this cursor's position.
        const seen = Math.max(row.previous, this.position)
        if (row.id > seen + 1) this.gaps.add(seen + 1, row.id - 1)
        this.position = row.id
        if (this.isWanted(row)) events.push(row)
      }
      more = page.more
    } while (more && events.length < atLeast && !signal.aborted)
    return { events, more }
  }

  private async lookIntoGaps(): Promise<LogRow[]> {
    if (this.gaps.isEmpty) return []
    const findings = await readGaps(this.options.pool, this.gaps, gapLimit, this.options.topics)
    this.gaps.fill(findings.ids)
    if (findings.complete) this.gaps.settle(findings.snapshot)
    return findings.rows
  }
}
