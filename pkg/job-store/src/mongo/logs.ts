import type { Collection, Filter } from 'mongodb'
import { type LogLevel, logLevels } from '../domain/statuses.js'
import { type LogCounts, type LogLine, type LogScope, NO_LEASE } from '../port.js'
import { sanitiseText } from '../sanitise.js'
import type { ArrivalClock } from './arrival-clock.js'
import { onlyDuplicates } from './mongo-error.js'

export interface StoredLine extends Omit<LogLine, 'level'> {
  /** The place of the line: the project stands in it so that nobody can take the place of another project's line. */
  _id: string
  level: number
  /** Microseconds of the server's clock when its append began. */
  arrival: number
  bytes: number
}

/** Of the client that appends: together they bound how long after its numbering a line may appear. */
export const appendTimeouts = { serverSelectionTimeoutMS: 1_000, waitQueueTimeoutMS: 1_000, socketTimeoutMS: 4_000 }

export async function appendLogs(logs: Collection<StoredLine>, clock: ArrivalClock, lines: LogLine[]): Promise<void> {
  if (lines.length === 0) return
  const arrivals = await clock.take(lines.length)
  const rows = lines.map((line, i) => toRow(line, arrivals[i] ?? 0))
  try {
    await logs.insertMany(rows, { ordered: false, maxTimeMS: appendTimeouts.socketTimeoutMS })
  } catch (error) {
    if (!onlyDuplicates(error)) throw error
  }
}

function toRow(line: LogLine, arrival: number): StoredLine {
  const message = sanitiseText(line.message)
  return {
    ...line,
    _id: `${line.projectId}/${line.jobId}/${line.attempt}/${line.leaseId}/${line.seq}`,
    level: logLevels.indexOf(line.level),
    task: sanitiseText(line.task),
    stream: sanitiseText(line.stream),
    message,
    arrival,
    bytes: Buffer.byteLength(message),
  }
}

export function toLine({ _id, arrival, bytes, level, ...line }: StoredLine): LogLine {
  const named: LogLevel = logLevels[level] ?? 'info'
  // Lines that were stored before leases were named have none.
  return { ...line, leaseId: line.leaseId ?? NO_LEASE, level: named }
}

export function scopeConditions(scope: LogScope): Filter<StoredLine> {
  const { projectId, runId, jobId, attempt, levels, afterSeq, task, from, to } = scope
  return {
    projectId,
    runId,
    ...(jobId !== undefined && { jobId }),
    ...(attempt !== undefined && { attempt }),
    ...(levels !== undefined && { level: { $in: levels.map((level) => logLevels.indexOf(level)) } }),
    ...(afterSeq !== undefined && { seq: { $gt: afterSeq } }),
    ...(task !== undefined && { task: sanitiseText(task) }),
    ...((from ?? to) !== undefined && { at: { ...(from && { $gte: from }), ...(to && { $lt: to }) } }),
  }
}

export async function countLogs(
  logs: Collection<StoredLine>,
  projectId: string,
  runId: string,
  jobId: string,
): Promise<LogCounts> {
  const counts: LogCounts = { lines: 0, bytes: 0, byLevel: { debug: 0, info: 0, warn: 0, error: 0 } }
  const rows = logs.find({ jobId, projectId, runId }).project<{ level: number; bytes: number }>({ level: 1, bytes: 1 })
  for await (const { level, bytes } of rows) {
    counts.lines += 1
    counts.bytes += bytes
    counts.byLevel[logLevels[level] ?? 'info'] += 1
  }
  return counts
}
