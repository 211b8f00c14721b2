import { lineHas } from './log-search'

/** The lines of one task's log as they come, bounded. Pure. */

export interface LogLine {
  seq: number
  at: string
  level: string
  stream?: string
  message: string
  task?: string
  attempt: number
  /** Lines are numbered within a lease: after a lost worker the same attempt begins anew with line 1. */
  leaseId?: string
  /** From where a stream goes on behind this line. */
  position?: string
}

/** Beyond this the oldest go: what a tab holds is bounded however long it is open. */
export const keptLines = 100_000
/** A buffer over the bound is cut in steps, so that a long tail is not copied for every line. */
const slack = 5_000
/** A resumed stream repeats no more than one page of the server, which has 1,000 lines at most. */
const repeatedLines = 2_000

export interface LogBuffer {
  readonly lines: readonly LogLine[]
  /** Lines that are no longer held. */
  readonly dropped: number
}

export const emptyLog: LogBuffer = { lines: [], dropped: 0 }

/** A stream that was resumed may repeat its last lines. */
export function appendLines(buffer: LogBuffer, more: readonly LogLine[]): LogBuffer {
  const known = new Set(buffer.lines.slice(-repeatedLines).map(placeOf))
  const fresh = known.size === 0 ? more : more.filter((line) => !known.has(placeOf(line)))
  if (fresh.length === 0) return buffer
  const lines = [...buffer.lines, ...fresh]
  if (lines.length <= keptLines + slack) return { lines, dropped: buffer.dropped }
  const over = lines.length - keptLines
  return { lines: lines.slice(over), dropped: buffer.dropped + over }
}

const placeOf = ({ attempt, leaseId, seq }: LogLine): string => `${attempt}/${leaseId}/${seq}`

const rank: Readonly<Record<string, number>> = { debug: 0, info: 1, warn: 2, error: 3 }

export interface LogFilter {
  /** This level and those above it. */
  level: string
  text: string
}

export function filterLines(lines: readonly LogLine[], { level, text }: LogFilter): readonly LogLine[] {
  const least = rank[level] ?? 0
  if (least === 0 && text === '') return lines
  return lines.filter((line) => (rank[line.level] ?? 1) >= least && (text === '' || lineHas(line, text)))
}

/** Names a line for a link; `seq` alone begins anew with each attempt. */
export const lineName = ({ attempt, seq }: LogLine): string => `${attempt}.${seq}`

/** Splits a byte stream into lines of JSON; what is not whole yet waits. */
export class NdjsonSplitter {
  private rest = ''
  push(text: string): LogLine[] {
    const parts = (this.rest + text).split('\n')
    this.rest = parts.pop() ?? ''
    return parts.flatMap((part) => (part.trim() === '' ? [] : [JSON.parse(part) as LogLine]))
  }
}
