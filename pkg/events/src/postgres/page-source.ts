import type { Pool } from '@millrace/postgres'
import type { Topic } from '../topics.js'
import type { PageRow } from './log-row.js'
import { readPage } from './log-sql.js'

const pageLimit = 1_000
/** A page this large may have been cut short by its size. */
const largePageBytes = 1024 * 1024
const maxWindowRows = 8_000
const maxWindowBytes = 16 * 1024 * 1024

/** What was visible of the log after a position when it was read. Rows never change, so that stays true. */
interface Window {
  after: number
  rows: PageRow[]
  bytes: number
}

export interface Page {
  rows: PageRow[]
  /** What is in the log at this moment may go beyond the rows: read on before waiting for a hint. */
  more: boolean
}

const sizeOf = (row: PageRow): number => (row.topic === null ? 8 : row.data.length)

const totalSize = (rows: readonly PageRow[]): number => rows.reduce((sum, row) => sum + sizeOf(row), 0)

const freshPage = (rows: PageRow[]): Page => ({
  rows,
  more: (rows.at(-1)?.ordinal ?? 0) >= pageLimit || totalSize(rows) >= largePageBytes,
})

function firstAfter(rows: readonly PageRow[], id: number): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rows[middle] as PageRow).id <= id) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Groups of one process read the same tail. Whoever is ahead asks the database; the others find its rows here, and
 * those who ask together share one query. A group far behind reads its own topics alone and leaves the window be.
 */
export class PageSource {
  private readonly topicCounts = new Map<Topic, number>()
  private window: Window | undefined
  private inFlight: { after: number; page: Promise<PageRow[]>; sentNow: boolean } | undefined

  constructor(private readonly pool: Pool) {}

  addTopics(topics: readonly Topic[]): void {
    for (const topic of topics) this.topicCounts.set(topic, (this.topicCounts.get(topic) ?? 0) + 1)
    // Rows read so far lack the content of topics that are new here.
    this.window = undefined
    this.inFlight = undefined
  }

  removeTopics(topics: readonly Topic[]): void {
    for (const topic of topics) {
      const left = (this.topicCounts.get(topic) ?? 0) - 1
      if (left > 0) this.topicCounts.set(topic, left)
      else this.topicCounts.delete(topic)
    }
  }

  /** Rows after a position, in order of id: those of at least the given topics, and whatever accounts for the ids between. */
  async read(after: number, topics: readonly Topic[]): Promise<Page> {
    const end = this.window?.rows.at(-1)?.id
    if (this.window === undefined || end === undefined || after >= end) return await this.readHead(after)
    if (after < this.window.after) return freshPage(await readPage(this.pool, after, [...topics], pageLimit))
    const start = firstAfter(this.window.rows, after)
    return { rows: this.window.rows.slice(start, start + pageLimit), more: true }
  }

  private async readHead(after: number): Promise<Page> {
    if (this.inFlight?.after === after) {
      const { page, sentNow } = this.inFlight
      // A query sent earlier may be older than the hint that woke this reader; one of this very turn is not.
      return sentNow ? freshPage(await page) : { rows: await page, more: true }
    }
    const page = readPage(this.pool, after, [...this.topicCounts.keys()], pageLimit)
    const request = { after, page, sentNow: true }
    this.inFlight = request
    // After all who were woken together with this reader have asked, and before anything else is heard.
    process.nextTick(() => {
      request.sentNow = false
    })
    try {
      const rows = await request.page
      if (this.inFlight === request) this.keep(after, rows)
      return freshPage(rows)
    } finally {
      if (this.inFlight === request) this.inFlight = undefined
    }
  }

  private keep(after: number, rows: PageRow[]): void {
    if (rows.length === 0) return
    if (this.window?.rows.at(-1)?.id !== after) this.window = { after, rows: [], bytes: 0 }
    const { window } = this
    if (window === undefined) return
    for (const row of rows) {
      window.rows.push(row)
      window.bytes += sizeOf(row)
    }
    if (window.rows.length > maxWindowRows || window.bytes > maxWindowBytes) this.dropOlderHalf(window)
  }

  private dropOlderHalf(window: Window): void {
    const dropped = window.rows.splice(0, Math.ceil(window.rows.length / 2))
    window.after = dropped.at(-1)?.id ?? window.after
    window.bytes -= totalSize(dropped)
    if (window.bytes > maxWindowBytes) this.window = undefined
  }
}
