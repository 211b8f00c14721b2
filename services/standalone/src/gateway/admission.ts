import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ListenerConfig } from './gateway-config.js'
import { type LocalProblem, problems, rawProblem } from './local-reply.js'
import { hasBody } from './proxy.js'

export function configure(server: Server, config: ListenerConfig): void {
  server.headersTimeout = config.headersTimeoutMs
  // Bodies are bounded by the route's timeout or by inactivity; an upload may well take longer than a fixed time.
  server.requestTimeout = 0
  server.keepAliveTimeout = config.idleTimeoutMs
  // Node would silently drop what is over its own limit; refusalOf counts instead.
  server.maxHeadersCount = 0
  server.on('clientError', answerGarbage)
}

function answerGarbage(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const problem =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? problems.headers
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? problems.slow
        : problems.malformed
  socket.end(rawProblem(problem, randomUUID()))
}

export function refusalOf(req: IncomingMessage, config: ListenerConfig): LocalProblem | undefined {
  const raw = req.rawHeaders
  if (raw.length > config.maxHeaders * 2) return problems.headers
  if (!config.rejectUnderscores) return undefined
  for (let at = 0; at < raw.length; at += 2) if (raw[at]?.includes('_')) return problems.header
  return undefined
}

/** A refused body is neither forwarded nor awaited; a caller that keeps sending is cut off. */
export function discardBody(req: IncomingMessage): void {
  if (!hasBody(req) || req.complete) return
  req.resume()
  const linger = setTimeout(() => req.socket.destroy(), 5000)
  linger.unref()
  req.once('end', () => clearTimeout(linger))
}
