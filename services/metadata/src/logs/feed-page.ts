import type { LogScope, PlacedLine } from '@millrace/job-store'
import { encodeLines, type LogFormat } from './log-writer.js'
import { sizeOf } from './page-size.js'
import { inReadingOrder, isInScope } from './reading-order.js'

/** What a follower wants to see; equal ones have equal keys. */
export interface LogView {
  key: string
  scope: LogScope
  format: LogFormat
}

export const logView = (scope: LogScope, format: LogFormat): LogView => ({
  key: JSON.stringify([format, scope]),
  scope,
  format,
})

export interface EncodedLines {
  lines: readonly PlacedLine[]
  bytes: Buffer
}

/** What one read of a run's end brought: lines that were not given before, in order of arrival. */
export class FeedPage {
  readonly size: number
  private readonly encoded = new Map<string, EncodedLines>()

  constructor(
    readonly lines: readonly PlacedLine[],
    /** The position before the first of them. */
    private readonly begun: string,
    /** Behind the page: all that had arrived before it has been given. */
    readonly position: string,
    /** Given, by this page or an earlier one, and yet behind the position: a read from there gives them again. */
    readonly unsettled: readonly PlacedLine[],
  ) {
    this.size = sizeOf(lines)
  }

  /** Filtered, ordered and encoded once for all who follow the same scope in the same format. */
  encode({ key, scope, format }: LogView): EncodedLines {
    const known = this.encoded.get(key)
    if (known !== undefined) return known
    const lines = inReadingOrder(
      this.lines.filter((line) => isInScope(line, scope)),
      scope,
      this.begun,
    )
    const made = { lines, bytes: Buffer.from(encodeLines(lines, format)) }
    this.encoded.set(key, made)
    return made
  }
}
