import { unprocessable } from '@millrace/errors'
import type { Collection, Filter } from 'mongodb'
import { type LogLevel, logLevels } from '../domain/statuses.js'
import { type LogCounts, type LogLine, type LogPage, type LogScope, NO_LEASE, type TailPage } from '../port.js'
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
/** Lines younger than this may still be joined by others that were numbered before them. */
const SETTLE_US = 8_000_000

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

function toLine({ _id, arrival, bytes, level, ...line }: StoredLine): LogLine {
  const named: LogLevel = logLevels[level] ?? 'info'
  // Lines that were stored before leases were named have none.
  return { ...line, leaseId: line.leaseId ?? NO_LEASE, level: named }
}

function scopeConditions(scope: LogScope): Filter<StoredLine> {
  const { projectId, runId, jobId, attempt, level, afterSeq } = scope
  return {
    projectId,
    runId,
    ...(jobId !== undefined && { jobId }),
    ...(attempt !== undefined && { attempt }),
    ...(level !== undefined && { level: { $gte: logLevels.indexOf(level) } }),
    ...(afterSeq !== undefined && { seq: { $gt: afterSeq } }),
  }
}

const positionSyntax = /^a(\d{1,16})(?:\.h(\d{1,16}))?(?:\.([0-9A-Za-z/-]{1,160}))?$/

interface Position {
  arrival: number
  /** Within a sweep: the horizon it began with. */
  horizon: number | undefined
  /** The last line given, for two replicas may use one number. */
  id: string | undefined
}

/** Positions come back from clients: what no tail gave out is refused before it reaches the server. */
function parsePosition(text: string): Position {
  const [, arrival, horizon, id] = positionSyntax.exec(text) ?? []
  if (arrival === undefined) throw unprocessable('invalid_cursor', 'The cursor is not valid.')
  return { arrival: Number(arrival), horizon: horizon === undefined ? undefined : Number(horizon), id }
}

function arrivedAfter({ arrival, id }: Position): Filter<StoredLine> {
  if (id === undefined) return { arrival: { $gt: arrival } }
  return { $or: [{ arrival: { $gt: arrival } }, { arrival, _id: { $gt: id } }] }
}

export async function readLogs(
  logs: Collection<StoredLine>,
  scope: LogScope,
  page: { limit: number; next?: string; arrivedAfter?: string },
): Promise<LogPage> {
  const conditions = [scopeConditions(scope)]
  if (page.arrivedAfter !== undefined) conditions.push(arrivedAfter(parsePosition(page.arrivedAfter)))
  const byJob = scope.jobId !== undefined
  if (page.next !== undefined) conditions.push(byJob ? afterInJob(page.next) : afterInRun(page.next))
  const rows = await logs
    .find({ $and: conditions })
    .sort(byJob ? { attempt: 1, at: 1, seq: 1, _id: 1 } : { at: 1, arrival: 1, _id: 1 })
    .limit(Math.trunc(page.limit))
    .toArray()
  const last = rows.at(-1)
  const next = last === undefined || rows.length < page.limit ? null : placeOf(last, byJob)
  return { lines: rows.map(toLine), next }
}

function placeOf(row: StoredLine, byJob: boolean): string {
  const at = row.at.getTime()
  return byJob ? `${row.attempt}|${at}|${row.seq}|${row._id}` : `${at}|${row.arrival}|${row._id}`
}

function afterInJob(place: string): Filter<StoredLine> {
  const [attemptText, time, number, id = ''] = place.split('|')
  const [attempt, at, seq] = [Number(attemptText), new Date(Number(time)), Number(number)]
  return {
    $or: [
      { attempt: { $gt: attempt } },
      { attempt, at: { $gt: at } },
      { attempt, at, seq: { $gt: seq } },
      { attempt, at, seq, _id: { $gt: id } },
    ],
  }
}

function afterInRun(place: string): Filter<StoredLine> {
  const [time, number, id = ''] = place.split('|')
  const at = new Date(Number(time))
  const arrival = Number(number)
  return {
    $or: [{ at: { $gt: at } }, { at, arrival: { $gt: arrival } }, { at, arrival, _id: { $gt: id } }],
  }
}

/**
 * Lines by arrival. Appends are numbered when they begin and seen when they end, so a line may appear before one already
 * given, but only within the time an append may take: lines above that horizon are given at once and given again by the
 * next sweep. A sweep of several pages keeps the horizon of its first.
 */
export async function tailLogs(
  logs: Collection<StoredLine>,
  clock: ArrivalClock,
  scope: LogScope,
  page: { limit: number; from?: string },
): Promise<TailPage> {
  const from = parsePosition(page.from ?? 'a0')
  const horizon = from.horizon ?? Math.max(0, (await clock.now()) - SETTLE_US)
  const rows = await logs
    .find({ $and: [scopeConditions(scope), arrivedAfter(from)] })
    .sort({ arrival: 1, _id: 1 })
    .limit(Math.trunc(page.limit))
    .toArray()
  const lines = rows.map((row) => ({ ...toLine(row), mayRepeat: row.arrival >= horizon }))
  const last = rows.at(-1)
  if (last === undefined || rows.length < page.limit) return { lines, next: null, position: `a${horizon}` }
  const next = `a${last.arrival}.h${horizon}.${last._id}`
  return { lines, next, position: last.arrival < horizon ? `a${last.arrival}.${last._id}` : `a${horizon}` }
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
