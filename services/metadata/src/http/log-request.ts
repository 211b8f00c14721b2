import { unprocessable } from '@millrace/errors'
import type { RouteRequest } from '@millrace/http'
import type { LogLevel, LogScope } from '@millrace/job-store'
import type { LogFormat } from '../logs/log-writer.js'

export interface LogRequest {
  follow: boolean
  format: LogFormat
  /** Attempt, level and number. */
  filter: Pick<LogScope, 'attempt' | 'level' | 'afterSeq'>
  /** Where an earlier stream stopped. */
  position: string | undefined
  /** A browser's event source that lost its connection, or was at the end. */
  resumed: boolean
}

/**
 * `after` is either a line's number, and then counts within each attempt, or the id of an event of an earlier stream,
 * which is also what a browser sends as Last-Event-ID when it connects again.
 */
export function readLogRequest(req: RouteRequest): LogRequest {
  const query = req.query as { follow?: boolean; attempt?: number; level?: LogLevel; after?: string }
  const resumed = req.headers['last-event-id']
  const after = typeof resumed === 'string' && resumed !== '' ? resumed : query.after
  const isNumber = after !== undefined && /^\d{1,15}$/.test(after)
  if (after !== undefined && !isNumber && !/^\d+\.\d+$/.test(after)) {
    throw unprocessable('invalid_cursor', 'after is neither the number of a line nor the id of an event.', [
      { path: '/after', code: 'invalid', message: "must be a line's number or the id of an event" },
    ])
  }
  return {
    follow: query.follow ?? false,
    format: req.headers.accept?.toLowerCase().includes('text/event-stream') ? 'sse' : 'ndjson',
    filter: {
      ...(query.attempt !== undefined && { attempt: query.attempt }),
      ...(query.level !== undefined && { level: query.level }),
      ...(isNumber && { afterSeq: Number(after) }),
    },
    position: isNumber ? undefined : after,
    resumed: typeof resumed === 'string',
  }
}
