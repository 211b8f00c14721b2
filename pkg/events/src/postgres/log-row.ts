import type { RawEvent } from '../cloud-event.js'
import type { Topic } from '../topics.js'

export interface LogRow extends RawEvent {
  id: number
}

/** Where a row stands in its page. */
interface Place {
  /** The id before it in the log when it was read; ids between the two were missing. */
  previous: number
  /** Counted over all rows of the page, also those that were not sent. */
  ordinal: number
}

/** Of a topic that nobody asked for: it shows a gap before it, or ends the page. */
interface SkippedRow {
  id: number
  topic: null
}

export type PageRow = (LogRow | SkippedRow) & Place

export const isOneOf =
  (topics: ReadonlySet<Topic>) =>
  <R extends LogRow | SkippedRow>(row: R): row is R & LogRow =>
    row.topic !== null && topics.has(row.topic)
