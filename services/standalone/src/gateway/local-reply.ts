import { type ServerResponse, STATUS_CODES } from 'node:http'
import { allowedMethods } from './allowed-methods.js'

export interface LocalProblem {
  status: number
  code: string
  detail: string
}

export const problems = {
  malformed: { status: 400, code: 'malformed_request', detail: 'The request is malformed.' },
  path: { status: 400, code: 'malformed_request', detail: 'The path is not valid.' },
  framing: { status: 400, code: 'malformed_request', detail: 'The framing of the request is not valid.' },
  method: { status: 405, code: 'method_not_allowed', detail: 'The method is not allowed.' },
  expectation: { status: 417, code: 'expectation_failed', detail: 'Only 100-continue can be expected.' },
  version: { status: 426, code: 'http_version_not_supported', detail: 'Use HTTP/1.1.' },
  header: { status: 400, code: 'malformed_request', detail: 'A header name is not valid.' },
  headers: { status: 431, code: 'headers_too_large', detail: 'The request headers are too large.' },
  slow: { status: 408, code: 'request_timeout', detail: 'The request took too long to arrive.' },
  tooLarge: { status: 413, code: 'body_too_large', detail: 'The request body is too large.' },
  authorization: { status: 503, code: 'authorization_unavailable', detail: 'Identities cannot be checked right now.' },
  upstream: { status: 503, code: 'upstream_unavailable', detail: 'The service is not available right now.' },
  timeout: { status: 504, code: 'upstream_timeout', detail: 'The service did not answer in time.' },
} as const satisfies Record<string, LocalProblem>

/** On every answer of the gateway's own; services send theirs. */
export const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

export function problemBody({ status, code, detail }: LocalProblem, requestId: string): string {
  const title = STATUS_CODES[status] ?? 'Error'
  return JSON.stringify({ type: `urn:millrace:problem:${code}`, title, status, detail, code, requestId })
}

/** What else an answer says of its request; a 405 names the methods that there are. */
const ofRequest = ({ status }: LocalProblem, { req }: ServerResponse) =>
  status === 405 ? { allow: allowedMethods(req.url ?? '') } : {}

export function sendLocal(res: ServerResponse, problem: LocalProblem, requestId: string, close = false): void {
  if (res.headersSent || res.destroyed) {
    res.destroy()
    return
  }
  const body = problemBody(problem, requestId)
  res.writeHead(problem.status, {
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    ...securityHeaders,
    ...ofRequest(problem, res),
    'x-request-id': requestId,
    ...(close ? { connection: 'close' } : {}),
  })
  res.end(body)
}

/** For a connection whose bytes were no HTTP request: there is no response object yet. */
export function rawProblem(problem: LocalProblem, requestId: string): string {
  const body = problemBody(problem, requestId)
  return [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? 'Error'}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`),
    ...(problem.status === 405 ? ['allow: GET, HEAD'] : []),
    `x-request-id: ${requestId}`,
    'connection: close',
    '',
    body,
  ].join('\r\n')
}
