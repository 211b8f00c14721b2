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

/** One reader's access to the pages that all readers of a process share. */
export interface PageReader {
  /** Rows after a position, in order of id: those of the reader's topics, and whatever accounts for the ids between. */
  read(after: number): Promise<Page>
  close(): void
}

interface Reader {
  readonly topics: readonly Topic[]
  readonly mayLag: boolean
  /** Where it last read on. */
  position: number
  /** The window holds the content of its topics after this id. */
  includedFrom: number
}

interface Request {
  after: number
  topics: ReadonlySet<Topic>
  page: Promise<PageRow[]>
  sentNow: boolean
}

const NEVER = Number.POSITIVE_INFINITY

/**
 * Groups of one process read the same tail. Whoever is ahead asks the database; the others find its rows here, and
 * those who ask together share one query. A group far behind reads its own topics alone and leaves the window be; one
 * that lags on purpose is not read for while it is behind: with 5,000 one-task runs in a batch its events were read twice.
 */
export class PageSource {
  private readonly readers = new Set<Reader>()
  private window: Window | undefined
  private inFlight: Request | undefined

  constructor(private readonly pool: Pool) {}

  /** `mayLag`: in a flood the reader falls behind on purpose. */
  open(topics: readonly Topic[], { mayLag = false } = {}): PageReader {
    const reader: Reader = { topics, mayLag, position: Number.NEGATIVE_INFINITY, includedFrom: NEVER }
    this.readers.add(reader)
    return { read: (after) => this.read(reader, after), close: () => void this.readers.delete(reader) }
  }

  private async read(reader: Reader, after: number): Promise<Page> {
    reader.position = after
    const end = this.window?.rows.at(-1)?.id
    if (this.window === undefined || end === undefined || after >= end) return await this.readHead(reader, after)
    if (after < Math.max(this.window.after, reader.includedFrom)) {
      return freshPage(await readPage(this.pool, after, [...reader.topics], pageLimit))
    }
    const start = firstAfter(this.window.rows, after)
    return { rows: this.window.rows.slice(start, start + pageLimit), more: true }
  }

  private async readHead(reader: Reader, after: number): Promise<Page> {
    if (this.inFlight?.after === after && hasAll(this.inFlight.topics, reader)) {
      const { page, sentNow } = this.inFlight
      // A query sent earlier may be older than the hint that woke this reader; one of this very turn is not.
      return sentNow ? freshPage(await page) : { rows: await page, more: true }
    }
    const topics = this.topicsAt(after)
    const page = readPage(this.pool, after, [...topics], pageLimit)
    const request = { after, topics, page, sentNow: true }
    this.inFlight = request
    // After all who were woken together with this reader have asked, and before anything else is heard.
    process.nextTick(() => {
      request.sentNow = false
    })
    try {
      const rows = await request.page
      if (this.inFlight === request) this.keep(request, rows)
      return freshPage(rows)
    } finally {
      if (this.inFlight === request) this.inFlight = undefined
    }
  }

  /** Of all readers but those that lag. */
  private topicsAt(after: number): Set<Topic> {
    const asking = [...this.readers].filter(({ mayLag, position }) => !mayLag || position > after - pageLimit)
    return new Set(asking.flatMap(({ topics }) => topics))
  }

  private keep({ after, topics }: Request, rows: PageRow[]): void {
    if (rows.length === 0) return
    const continues = this.window?.rows.at(-1)?.id === after
    if (!continues) this.window = { after, rows: [], bytes: 0 }
    for (const reader of this.readers) {
      if (!hasAll(topics, reader)) reader.includedFrom = NEVER
      else if (!continues || reader.includedFrom === NEVER) reader.includedFrom = after
    }
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

const hasAll = (topics: ReadonlySet<Topic>, reader: Reader): boolean =>
  reader.topics.every((topic) => topics.has(topic))
