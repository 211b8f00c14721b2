import type { IncomingMessage } from 'node:http'

/** Of one connection alone. The framing is among them: each side's is written anew, never copied. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'content-length',
  'upgrade',
  'http2-settings',
  'expect',
])

/** Set by the gateway alone. */
const ownRequestHeaders: ReadonlySet<string> = new Set([
  'x-request-id',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-real-ip',
  'forwarded',
  'traceparent',
])

export const isHopByHop = (name: string): boolean => hopByHop.has(name)

/** Names that `Connection` declares to be for this hop only. */
export function namedByConnection(message: IncomingMessage): ReadonlySet<string> | undefined {
  const value = message.headers.connection
  if (value === undefined || /^(keep-alive|close)$/i.test(value)) return undefined
  return new Set(value.split(',').map((name) => name.trim().toLowerCase()))
}

export interface ForwardedFacts {
  requestId: string
  clientAddress: string
  scheme: 'http' | 'https'
  traceparent: string
  strippedPrefixes: readonly string[]
}

/** Flat name-value list, as node takes it without building an object for each request. */
export function upstreamHeaders(req: IncomingMessage, facts: ForwardedFacts): string[] {
  const named = namedByConnection(req)
  const headers: string[] = []
  const raw = req.rawHeaders
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? ''
    const lower = name.toLowerCase()
    if (hopByHop.has(lower) || ownRequestHeaders.has(lower) || named?.has(lower)) continue
    if (lower.startsWith('x-envoy-') || facts.strippedPrefixes.some((prefix) => lower.startsWith(prefix))) continue
    headers.push(name, raw[at + 1] ?? '')
  }
  headers.push('x-request-id', facts.requestId, 'x-forwarded-for', facts.clientAddress)
  headers.push('x-forwarded-proto', facts.scheme, 'traceparent', facts.traceparent)
  return headers
}

export function downstreamHeaders(answer: IncomingMessage, requestId: string, added: readonly string[]): string[] {
  const named = namedByConnection(answer)
  const headers: string[] = []
  const raw = answer.rawHeaders
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? ''
    const lower = name.toLowerCase()
    // An answer's length is kept: it also describes what HEAD and 304 do not send.
    if ((hopByHop.has(lower) && lower !== 'content-length') || named?.has(lower)) continue
    headers.push(name, raw[at + 1] ?? '')
  }
  if (answer.headers['x-request-id'] === undefined) headers.push('x-request-id', requestId)
  headers.push(...added)
  return headers
}

/** Replaces every value of a header in a flat list. */
export function setHeader(headers: string[], name: string, value: string): void {
  removeHeader(headers, name)
  headers.push(name, value)
}

export function removeHeader(headers: string[], name: string): void {
  const lower = name.toLowerCase()
  for (let at = headers.length - 2; at >= 0; at -= 2) {
    if (headers[at]?.toLowerCase() === lower) headers.splice(at, 2)
  }
}
