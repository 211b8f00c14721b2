import type { RouteRequest } from '@millrace/http'
import { type LogLevel, type LogScope, logLevels } from '@millrace/job-store'
import type { LogFormat } from '../logs/log-writer.js'

export interface LogRequest {
  follow: boolean
  format: LogFormat
  filter: Omit<LogScope, 'projectId' | 'runId' | 'jobId'>
  /** Where an earlier stream stopped. */
  position: string | undefined
  /** Only the last lines. */
  tail: number | undefined
  /** The stream ends after so many lines. */
  limit: number
  download: boolean
  /** A browser's event source that lost its connection, or was at the end. */
  resumed: boolean
}

interface LogQuery {
  follow?: boolean
  attempt?: number
  level?: LogLevel[]
  task?: string
  from?: string
  to?: string
  after?: string
  tail?: number
  limit?: number
  download?: boolean
}

/**
 * `after` is either a line's number, and then counts within each lease, or the position of a line, which is also what a
 * browser sends as Last-Event-ID when it connects again. The store refuses a position that it did not give out.
 */
export function readLogRequest(req: RouteRequest): LogRequest {
  const query = req.query as LogQuery
  const resumed = req.headers['last-event-id']
  const after = typeof resumed === 'string' && resumed !== '' ? resumed : query.after
  const isNumber = after !== undefined && /^\d{1,15}$/.test(after)
  return {
    follow: query.follow ?? false,
    format: req.headers.accept?.toLowerCase().includes('text/event-stream') ? 'sse' : 'ndjson',
    filter: filterOf(query, isNumber ? Number(after) : undefined),
    position: isNumber ? undefined : after,
    tail: query.tail,
    limit: query.limit ?? Number.POSITIVE_INFINITY,
    download: query.download ?? false,
    resumed: typeof resumed === 'string',
  }
}

function filterOf({ attempt, level, task, from, to }: LogQuery, afterSeq: number | undefined): LogRequest['filter'] {
  return {
    ...(attempt !== undefined && { attempt }),
    ...(level !== undefined && { levels: levelsOf(level) }),
    ...(task !== undefined && { task }),
    ...(from !== undefined && { from: new Date(from) }),
    ...(to !== undefined && { to: new Date(to) }),
    ...(afterSeq !== undefined && { afterSeq }),
  }
}

/** One level means it and those above, several mean themselves. */
function levelsOf(given: readonly LogLevel[]): readonly LogLevel[] {
  const [only] = given
  return given.length === 1 && only !== undefined ? logLevels.slice(logLevels.indexOf(only)) : given
}
