import type { LogLine, LogScope, PlacedLine } from '@millrace/job-store'

/** A line's own place: whatever gives it again, it is the same line. */
export const placeOf = (line: LogLine): string => `${line.jobId}/${line.attempt}/${line.leaseId}/${line.seq}`

/** As the store filters, for lines of the scope's run. */
export function isInScope(line: LogLine, scope: LogScope): boolean {
  const { jobId, attempt, levels, afterSeq, task, from, to } = scope
  return (
    (jobId === undefined || line.jobId === jobId) &&
    (attempt === undefined || line.attempt === attempt) &&
    (levels === undefined || levels.includes(line.level)) &&
    (afterSeq === undefined || line.seq > afterSeq) &&
    (task === undefined || line.task === task) &&
    (from === undefined || line.at >= from) &&
    (to === undefined || line.at < to)
  )
}

/**
 * Lines of one page as a plain read would order them. A position counts in order of arrival: a line's is that before the
 * first of those that are sent after it.
 */
export function inReadingOrder(lines: readonly PlacedLine[], scope: LogScope, begun: string): PlacedLine[] {
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
