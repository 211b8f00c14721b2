import type { IncomingMessage } from 'node:http'
import { namedByConnection, removeHeader } from './headers.js'
import { type LocalProblem, problems } from './local-reply.js'

/** Headers whose repetition two readers could resolve differently. */
const singletons: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'content-type',
  'expect',
  'authorization',
  'idempotency-key',
  'x-millrace-project',
])

/** Were these dropped as belonging to one hop, the service would read another request than the one that was checked. */
const neverHopByHop = /^(content-length|transfer-encoding|host|authorization|cookie)\b|^x-(millrace|forwarded)-/

const isRead = (req: IncomingMessage) => req.method === 'GET' || req.method === 'HEAD'

export const hasBody = (req: IncomingMessage): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0

/**
 * Whatever could let two readers disagree about where a request ends, or about what it says. Node's parser lets some of
 * it through (measured on llhttp 9.3: repeated Host, "gzip, chunked", an empty Transfer-Encoding, bodies on GET).
 * Nothing more may be read from a connection on which this found a fault.
 */
export function framingFault(req: IncomingMessage): LocalProblem | undefined {
  if (req.httpVersion !== '1.1') return req.httpVersion === '1.0' ? problems.version : problems.framing
  if (req.method === 'TRACE') return problems.method
  if (hasRepetition(req.rawHeaders)) return problems.framing
  const { 'transfer-encoding': coding, 'content-length': length, upgrade } = req.headers
  if (coding !== undefined && (length !== undefined || coding.toLowerCase() !== 'chunked')) return problems.framing
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return problems.framing
  if (isRead(req) && hasBody(req)) return problems.framing
  // Clients offer h2c unasked and go on in HTTP/1.1 when it is not taken; any other protocol is a request for a tunnel.
  if (upgrade !== undefined && upgrade.toLowerCase() !== 'h2c') return problems.framing
  for (const name of namedByConnection(req) ?? []) if (neverHopByHop.test(name)) return problems.framing
  return undefined
}

function hasRepetition(raw: readonly string[]): boolean {
  const seen = new Set<string>()
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase() ?? ''
    if (!singletons.has(name)) continue
    if (seen.has(name)) return true
    seen.add(name)
  }
  return false
}

/** Says where the request ends from what was read of it, whatever the headers held so far. */
export function frameRequest(headers: string[], req: IncomingMessage): void {
  removeHeader(headers, 'content-length')
  removeHeader(headers, 'transfer-encoding')
  if (isRead(req)) return
  if (req.headers['transfer-encoding'] !== undefined) headers.push('transfer-encoding', 'chunked')
  else headers.push('content-length', String(Number(req.headers['content-length'] ?? 0)))
}
