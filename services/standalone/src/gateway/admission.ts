import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { framingFault, hasBody } from './framing.js'
import type { ListenerConfig } from './gateway-config.js'
import { type LocalProblem, problems, rawProblem, sendLocal } from './local-reply.js'
import type { OpenAnswers } from './open-answers.js'

export function configure(server: Server, config: ListenerConfig, answers: OpenAnswers): void {
  server.headersTimeout = config.headersTimeoutMs
  // Bodies are bounded by the route's timeout or by inactivity; an upload may well take longer than a fixed time.
  server.requestTimeout = 0
  server.keepAliveTimeout = config.idleTimeoutMs
  // Node would silently drop what is over its own limit; refusalOf counts instead.
  server.maxHeadersCount = 0
  server.on('clientError', (error: Error & { code?: string }, socket) => answerGarbage(error, socket, answers))
  server.on('connect', (_req, socket) => socket.end(rawProblem(problems.method, randomUUID())))
}

function problemOfParser(code: string | undefined): LocalProblem {
  if (code === 'HPE_HEADER_OVERFLOW') return problems.headers
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? problems.slow : problems.malformed
}

/** Bytes may turn into garbage while answers to what came before are still being sent: nothing is written between them. */
function answerGarbage(error: Error & { code?: string }, socket: Duplex, answers: OpenAnswers): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const problem = problemOfParser(error.code)
  const open = answers.of(socket)
  answers.condemn(socket)
  if (open.length === 0) socket.end(rawProblem(problem, randomUUID()))
  else if (open.length === 1 && open[0] && !open[0].headersSent) sendLocal(open[0], problem, randomUUID(), true)
  else socket.destroy()
}

export interface Refusal {
  problem: LocalProblem
  /** Nothing more is read from the connection: where the next request begins is not certain. */
  close: boolean
}

export function refusalOf(req: IncomingMessage, config: ListenerConfig): Refusal | undefined {
  const raw = req.rawHeaders
  if (raw.length > config.maxHeaders * 2) return { problem: problems.headers, close: true }
  const fault = framingFault(req)
  if (fault) return { problem: fault, close: true }
  if (!config.rejectUnderscores) return undefined
  for (let at = 0; at < raw.length; at += 2) {
    if (raw[at]?.includes('_')) return { problem: problems.header, close: true }
  }
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
