import type { RawEvent } from '../cloud-event.js'
import type { Topic } from '../topics.js'

export interface LogRow extends RawEvent {
  id: number
}

/** Of topics that nobody asked for only the id is fetched. */
export interface SkippedRow {
  id: number
  topic: null
}

export type PageRow = LogRow | SkippedRow

export const isOneOf =
  (topics: ReadonlySet<Topic>) =>
  (row: PageRow): row is LogRow =>
    row.topic !== null && topics.has(row.topic)
