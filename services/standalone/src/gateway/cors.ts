import type { IncomingMessage, ServerResponse } from 'node:http'

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const REQUEST_HEADERS =
  'authorization, content-type, idempotency-key, last-event-id, range, traceparent, x-millrace-console, x-millrace-project'
const ANSWER_HEADERS = 'content-disposition, content-range, idempotency-replayed, location, retry-after, x-request-id'
const PREFLIGHT_SECONDS = 600

export interface Cors {
  /** Flat list, for the answer to this request. */
  headersFor(req: IncomingMessage): readonly string[]
  /** True when the request was a browser's question before a request, and is answered. */
  answerPreflight(req: IncomingMessage, res: ServerResponse, requestId: string): boolean
}

/**
 * Origins are compared as they are, never by pattern. Credentials of the browser itself are not allowed: callers bring a
 * token, and the cookie of the console's session is for its own origin alone.
 */
export function createCors(origins: readonly string[]): Cors {
  const known = new Set(origins)
  const originOf = ({ headers: { origin } }: IncomingMessage) =>
    origin !== undefined && known.has(origin) ? origin : undefined
  return {
    headersFor(req) {
      if (known.size === 0) return []
      const origin = originOf(req)
      if (origin === undefined) return ['vary', 'origin']
      return ['access-control-allow-origin', origin, 'access-control-expose-headers', ANSWER_HEADERS, 'vary', 'origin']
    },
    answerPreflight(req, res, requestId) {
      const origin = originOf(req)
      const asked = req.headers['access-control-request-method']
      if (req.method !== 'OPTIONS' || origin === undefined || asked === undefined) return false
      // As Envoy answers, which knows no other status here.
      res.writeHead(200, {
        'content-length': '0',
        'access-control-allow-origin': origin,
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers': REQUEST_HEADERS,
        'access-control-max-age': String(PREFLIGHT_SECONDS),
        vary: 'origin, access-control-request-method, access-control-request-headers',
        'x-request-id': requestId,
      })
      res.end()
      return true
    },
  }
}
