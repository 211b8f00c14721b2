import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { crashPoint } from '@millrace/crash-point'
import type { Logger } from '@millrace/logger'
import type { Exchange } from './exchange.js'
import { hasBody } from './framing.js'
import { downstreamHeaders } from './headers.js'
import { problems, sendLocal } from './local-reply.js'
import { watchBodyRate } from './slow-body.js'
import type { Upstream } from './upstream.js'

export interface ProxyOptions {
  exchange: Exchange
  upstream: Upstream
  headers: string[]
  /** Flat list, added to the answer. */
  responseHeaders: readonly string[]
  /** Told of answers that go on until someone ends them; returns how to forget them. */
  trackStream: (end: () => void) => () => void
  bodyWindowMs?: number | undefined
  logger: Logger
}

const lingerMs = 5000

/** Streams both ways; whichever side goes away first takes the other with it. */
export function proxyRequest(options: ProxyOptions, retried = false): void {
  const { exchange, upstream, headers } = options
  const { req, res, route } = exchange
  crashPoint('gateway.forward')
  const outgoing = upstream.request(req.method ?? 'GET', exchange.target, headers)
  const timer = startTimer(exchange, outgoing)
  const onClose = () => {
    clearTimeout(timer)
    if (!res.writableFinished || !req.complete) outgoing.destroy()
  }
  res.once('close', onClose)
  outgoing.once('response', (answer) => sendAnswer(answer, options, outgoing))
  let failed = false
  outgoing.on('error', (error) => {
    if (failed) return
    failed = true
    res.off('close', onClose)
    clearTimeout(timer)
    if (canRetry(exchange, outgoing, retried)) proxyRequest(options, true)
    else fail(options, error)
  })
  if (!hasBody(req)) {
    outgoing.end()
    return
  }
  if (exchange.expectsContinue) res.writeContinue()
  if (route.maxBodyBytes !== undefined && req.headers['content-length'] === undefined) {
    limitBody(exchange, outgoing, route.maxBodyBytes)
  }
  watchBodyRate(exchange, outgoing, options.bodyWindowMs)
  req.pipe(outgoing)
  req.once('close', () => {
    if (!req.complete) outgoing.destroy()
  })
}

/** A kept connection may be closed by the other side just as a request goes out on it; only then, and only without a body. */
const canRetry = ({ req, res }: Exchange, outgoing: ClientRequest, retried: boolean): boolean =>
  !retried &&
  outgoing.reusedSocket &&
  !hasBody(req) &&
  !res.headersSent &&
  !res.destroyed &&
  !res.writableEnded &&
  ['GET', 'HEAD'].includes(req.method ?? '')

function startTimer({ res, route, requestId, req }: Exchange, outgoing: ClientRequest): NodeJS.Timeout | undefined {
  if (route.timeoutMs === 0) {
    watchInactivity(req.socket, res, route.idleTimeoutMs)
    return undefined
  }
  return setTimeout(() => {
    sendLocal(res, problems.timeout, requestId)
    outgoing.destroy()
  }, route.timeoutMs)
}

/** For answers and uploads that have no end in sight. The socket may serve other requests after this one. */
function watchInactivity(socket: Socket, res: ServerResponse, idleMs: number): void {
  const onTimeout = () => socket.destroy()
  socket.setTimeout(idleMs)
  socket.on('timeout', onTimeout)
  res.once('close', () => socket.off('timeout', onTimeout))
}

function limitBody({ req, res, requestId }: Exchange, outgoing: ClientRequest, maxBytes: number): void {
  let seen = 0
  req.on('data', (chunk: Buffer) => {
    seen += chunk.byteLength
    if (seen <= maxBytes || res.writableEnded) return
    req.unpipe(outgoing)
    refuseBody(req, res, requestId)
    outgoing.destroy()
  })
}

/** Reads on for a moment so that the answer is not lost to a reset, then gives up on a caller that keeps sending. */
export function refuseBody(req: IncomingMessage, res: Exchange['res'], requestId: string): void {
  sendLocal(res, problems.tooLarge, requestId)
  req.resume()
  const linger = setTimeout(() => req.socket.destroy(), lingerMs)
  linger.unref()
  req.once('end', () => clearTimeout(linger))
}

function sendAnswer(answer: IncomingMessage, options: ProxyOptions, outgoing: ClientRequest): void {
  const { req, res, requestId, route } = options.exchange
  if (res.headersSent || res.destroyed) {
    answer.destroy()
    return
  }
  crashPoint('gateway.answer')
  const status = answer.statusCode ?? 502
  res.writeHead(status, answer.statusMessage ?? '', downstreamHeaders(answer, requestId, options.responseHeaders))
  if (route.timeoutMs === 0) {
    res.flushHeaders()
    if (/^(text\/event-stream|application\/x-ndjson)/.test(answer.headers['content-type'] ?? '')) {
      const forget = options.trackStream(() => {
        answer.unpipe(res)
        res.end(() => outgoing.destroy())
      })
      res.once('close', forget)
    }
  }
  answer.pipe(res)
  answer.once('end', () => {
    // An answer that did not wait for the whole request leaves the connection in a state nobody should build on.
    if (hasBody(req) && !(req.complete && outgoing.writableFinished)) outgoing.destroy()
  })
  // A body cut short upstream must not look whole downstream.
  answer.once('close', () => {
    if (!answer.complete && !res.writableEnded) res.destroy()
  })
  answer.on('error', () => undefined)
}

function fail({ exchange, logger }: ProxyOptions, error: Error): void {
  const { res, requestId, route } = exchange
  if (res.writableEnded || res.destroyed) return
  logger.warn({ err: error, cluster: route.cluster, requestId }, 'upstream failed')
  sendLocal(res, problems.upstream, requestId)
}
