import type { metadata } from '@millrace/contracts'
import { malformed } from '@millrace/errors'
import { type LogLevel, type LogLine, logLevels, NO_LEASE } from '@millrace/job-store'
import { validate as isUuid } from 'uuid'

export const MAX_LINES = 1_000
export const MAX_MESSAGE_BYTES = 64 * 1_024
const MAX_INT = 2_147_483_647
const MAX_KEY = 200
const YEAR_2000 = Date.UTC(2000, 0)
const DAY = 86_400_000

const streams: ReadonlySet<string> = new Set(['stdout', 'stderr', 'system'])

/** A worker's line as it is kept. What would misplace the line is refused; what is only odd is put right. */
export function toLogLine(line: metadata.LogLine__Output, index: number, now: number): LogLine {
  const place = { taskId: line.taskId, runId: line.runId, projectId: line.projectId }
  const leaseId = line.leaseId || NO_LEASE
  for (const [name, id] of Object.entries({ ...place, leaseId })) {
    if (!isUuid(id)) throw malformed('invalid_log_line', `lines[${index}].${name} is not an id.`)
  }
  if (!isCount(line.attempt, MAX_INT)) throw malformed('invalid_log_line', `lines[${index}].attempt is not 1 or more.`)
  if (!isCount(line.seq, Number.MAX_SAFE_INTEGER))
    throw malformed('invalid_log_line', `lines[${index}].seq is not 1 or more.`)
  return {
    projectId: line.projectId.toLowerCase(),
    runId: line.runId.toLowerCase(),
    jobId: line.taskId.toLowerCase(),
    task: line.key.slice(0, MAX_KEY),
    attempt: line.attempt,
    leaseId: leaseId.toLowerCase(),
    seq: line.seq,
    at: timeOf(line.at, now),
    level: levelOf(line.level),
    stream: streams.has(line.stream) ? line.stream : 'stdout',
    message: boundMessage(line.message),
  }
}

const isCount = (value: number, max: number): boolean => Number.isSafeInteger(value) && value >= 1 && value <= max

function levelOf(level: string): LogLevel {
  return logLevels.find((known) => known === level) ?? 'info'
}

/** A worker's clock may be wrong, but not beyond what a store can hold or a reader could make sense of. */
function timeOf(text: string, now: number): Date {
  const at = Date.parse(text)
  return new Date(at >= YEAR_2000 && at <= now + DAY ? at : now)
}

const MARK = ' … [truncated]'

/** Kept rather than refused: the head of a long line still says something. Cut between characters. */
function boundMessage(message: string): string {
  if (message.length * 3 <= MAX_MESSAGE_BYTES) return message
  const bytes = new TextEncoder().encode(message)
  if (bytes.length <= MAX_MESSAGE_BYTES) return message
  let end = MAX_MESSAGE_BYTES - new TextEncoder().encode(MARK).length
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return new TextDecoder().decode(bytes.subarray(0, end)) + MARK
}
