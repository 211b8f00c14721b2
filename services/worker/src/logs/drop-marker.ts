import { logDropsTotal } from '../telemetry.js'
import type { LogLine } from './log-shipper.js'

/** How many lines a marker stands for, in case it is dropped in turn. */
const markers = new WeakMap<LogLine, number>()

export const isMarker = (line: LogLine): boolean => markers.has(line)

/** Counts lines that are given up; the last of them becomes a line in its own place that says so. */
export function dropLines(lines: readonly [LogLine, ...LogLine[]], why: string): LogLine {
  logDropsTotal.inc(lines.filter((line) => !isMarker(line)).length)
  const count = lines.reduce((sum, line) => sum + (markers.get(line) ?? 1), 0)
  const what = count === 1 ? 'log line of this worker was' : 'log lines of this worker were'
  const marker: LogLine = {
    ...(lines.at(-1) ?? lines[0]),
    level: 'warn',
    stream: 'system',
    message: `… ${count} ${what} dropped here: ${why}`,
  }
  markers.set(marker, count)
  return marker
}
