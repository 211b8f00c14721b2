import type { Logger } from '@millrace/logger'
import { tracedHistogram } from '@millrace/telemetry'
import type express from 'express'

const durations = tracedHistogram({
  name: 'http_server_request_duration_seconds',
  help: 'Duration of HTTP requests by operation and status',
  labelNames: ['service', 'operation', 'method', 'status'],
})

const quiet: ReadonlySet<string> = new Set(['healthz', 'readyz', 'metrics'])

export interface Measured {
  service: string
  operation: string
  requestId: string
  path: string
}

/** Called once a request, when its answer is sent or its connection lost. */
export function recordRequest(
  req: express.Request,
  res: express.Response,
  facts: Measured,
  startedAt: number,
  logger: Logger,
): void {
  const seconds = (performance.now() - startedAt) / 1000
  const { service, operation, requestId, path } = facts
  const status = res.writableFinished || res.headersSent ? res.statusCode : 499
  durations.observe({ service, operation, method: req.method, status: String(status) }, seconds)
  const level = quiet.has(operation) ? 'debug' : 'info'
  if (!logger.isLevelEnabled(level)) return
  logger[level](
    { requestId, method: req.method, path, operation, status, durationMs: Math.round(seconds * 1e6) / 1000 },
    'request',
  )
}
