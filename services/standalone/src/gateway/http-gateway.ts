import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { KeyPair } from '@millrace/identity'
import type { Logger } from '@millrace/logger'
import { currentTraceparent, histogram, openSpan, SpanKind } from '@millrace/telemetry'
import { configure, discardBody, refusalOf } from './admission.js'
import { createClientAddresses } from './client-address.js'
import { createCors } from './cors.js'
import { createHttpListener, type EdgeSettings, STRICT_TRANSPORT } from './edge-settings.js'
import type { Exchange } from './exchange.js'
import { createExtAuthz, type Verdict } from './ext-authz.js'
import { frameRequest } from './framing.js'
import type { GatewayConfig, GatewayRoute } from './gateway-config.js'
import { upstreamHeaders } from './headers.js'
import { problems, sendLocal } from './local-reply.js'
import { OpenAnswers } from './open-answers.js'
import { proxyRequest, refuseBody } from './proxy.js'
import { readTarget } from './request-target.js'
import { createRouteTable } from './route-table.js'
import { createUpstream, type Upstream } from './upstream.js'
import { applyVerdict, sendDenial } from './verdict.js'

export interface HttpGateway {
  readonly server: Server
  /** Ends live streams and lets go of the services. */
  endStreams(): void
  close(): void
}

export interface BodyWindow {
  /** In which a body must bring its least number of bytes. */
  bodyWindowMs?: number | undefined
}

const durations = histogram({
  name: 'gateway_request_duration_seconds',
  help: 'Duration of requests through the gateway by cluster and status',
  labelNames: ['cluster', 'status'],
})

export function createHttpGateway(
  config: GatewayConfig & BodyWindow,
  logger: Logger,
  edge: EdgeSettings = {},
  pair?: KeyPair,
): HttpGateway {
  const findRoute = createRouteTable(config.http.routes)
  const shownPath = createPathVeil(config.http.routes)
  const upstreams = upstreamsOf(config)
  const authz = createExtAuthz(config.authz, config.clusters.get(config.authz.cluster) ?? '', logger)
  const answers = new OpenAnswers()
  const describe = createDescriber(edge, pair !== undefined)
  const streams = new Set<() => void>()
  const trackStream = (end: () => void) => {
    streams.add(end)
    return () => streams.delete(end)
  }

  const forward = createForwarder(config, upstreams, trackStream, logger)

  const serve = async (exchange: Exchange): Promise<void> => {
    if (!exchange.route.authz) return forward(exchange)
    const verdict = await authz.check(exchange)
    if (exchange.res.destroyed) return
    if (verdict.kind === 'allowed') return forward(exchange, verdict)
    if (verdict.kind === 'failed') sendLocal(exchange.res, problems.authorization, exchange.requestId)
    else sendDenial(exchange, verdict)
    discardBody(exchange.req)
  }

  const accept = (req: IncomingMessage, res: ServerResponse, expectsContinue: boolean): void => {
    const startedAt = performance.now()
    const requestId = randomUUID()
    // No write that races with the caller's leaving may end the process, whatever the Node version makes of it.
    res.on('error', () => undefined)
    if (answers.isCondemned(req.socket)) return
    answers.add(req.socket, res)
    const { preflight, ...caller } = describe(req, res, requestId)
    const refusal = refusalOf(req, config.http)
    if (refusal?.close) answers.condemn(req.socket)
    const target = refusal ? undefined : readTarget(req.url ?? '')
    const route = target && findRoute(req.method ?? '', target.path)
    if (!target || !route) {
      sendLocal(res, refusal?.problem ?? problems.path, requestId, refusal?.close)
      discardBody(req)
      return
    }
    if (preflight()) return
    const span = openServerSpan(req, route)
    span.run(() => {
      const traceparent = currentTraceparent() ?? newTraceparent()
      const url = target.path + target.query
      const exchange = { req, res, route, target: url, requestId, ...caller, traceparent, expectsContinue }
      res.once('close', () => {
        span.end(res.statusCode >= 500 ? new Error(`status ${res.statusCode}`) : undefined)
        record(exchange, shownPath(target.path), startedAt, logger)
      })
      serve(exchange).catch((error: unknown) => {
        logger.error({ err: error, requestId }, 'gateway failed')
        sendLocal(res, problems.upstream, requestId)
      })
    })
  }

  const server = createHttpListener(config.http, pair)
  server.on('request', (req, res) => accept(req, res, false))
  server.on('checkContinue', (req, res) => accept(req, res, true))
  server.on('checkExpectation', (req, res) => {
    answers.condemn(req.socket)
    sendLocal(res, problems.expectation, randomUUID(), true)
  })
  configure(server, config.http, answers)
  return {
    server,
    endStreams() {
      for (const end of streams) end()
    },
    close() {
      authz.close()
      for (const upstream of upstreams.values()) upstream.close()
    },
  }
}

interface Caller {
  readonly clientAddress: string
  readonly scheme: 'http' | 'https'
  /** Answers a browser's question before a request; true when it was one. */
  readonly preflight: () => boolean
}

/** What the operator's settings say of a request: whose it is, how it came, and what every answer to it carries. */
function createDescriber(
  { trustedProxies = [], corsOrigins = [] }: EdgeSettings,
  secure: boolean,
): (req: IncomingMessage, res: ServerResponse, requestId: string) => Caller {
  const addresses = createClientAddresses(trustedProxies)
  const cors = createCors(corsOrigins)
  return (req, res, requestId) => {
    const { 'x-forwarded-for': forwarded, 'x-forwarded-proto': proto } = req.headers
    const remote = req.socket.remoteAddress
    const scheme = secure || (proto === 'https' && addresses.isProxy(remote)) ? 'https' : 'http'
    if (scheme === 'https') res.setHeader('strict-transport-security', STRICT_TRANSPORT)
    const allowed = cors.headersFor(req)
    for (let at = 0; at + 1 < allowed.length; at += 2) res.setHeader(allowed[at] ?? '', allowed[at + 1] ?? '')
    const clientAddress = addresses.clientOf(remote, typeof forwarded === 'string' ? forwarded : undefined)
    return { clientAddress, scheme, preflight: () => cors.answerPreflight(req, res, requestId) }
  }
}

type Allowed = Extract<Verdict, { kind: 'allowed' }>

function createForwarder(
  { http, bodyWindowMs }: GatewayConfig & BodyWindow,
  upstreams: ReadonlyMap<string, Upstream>,
  trackStream: (end: () => void) => () => void,
  logger: Logger,
): (exchange: Exchange, verdict?: Allowed) => void {
  return (exchange, verdict) => {
    const { req, res, route, requestId } = exchange
    if (route.maxBodyBytes !== undefined && Number(req.headers['content-length'] ?? 0) > route.maxBodyBytes) {
      refuseBody(req, res, requestId)
      return
    }
    const upstream = upstreams.get(route.cluster)
    if (!upstream) throw new Error(`no upstream for cluster ${route.cluster}`)
    const headers = upstreamHeaders(req, { ...exchange, strippedPrefixes: http.strippedPrefixes })
    if (verdict) applyVerdict(headers, verdict)
    frameRequest(headers, req)
    const responseHeaders = verdict ? verdict.responseHeaders.flatMap(({ name, value }) => [name, value]) : []
    proxyRequest({ exchange, upstream, headers, responseHeaders, trackStream, bodyWindowMs, logger })
  }
}

function upstreamsOf({ http, clusters }: GatewayConfig): Map<string, Upstream> {
  const names = new Set(http.routes.map(({ cluster }) => cluster))
  return new Map([...names].map((name) => [name, createUpstream(clusters.get(name) ?? '')]))
}

/** Only where no tracing was started. */
const newTraceparent = () => `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-00`

function openServerSpan(req: IncomingMessage, route: GatewayRoute) {
  const { traceparent } = req.headers
  return openSpan(
    `gateway ${route.cluster}`,
    { 'http.request.method': req.method ?? '', 'millrace.route': route.name },
    { traceparent: typeof traceparent === 'string' ? traceparent : undefined, remote: true, kind: SpanKind.SERVER },
  )
}

/**
 * What is open but has no fixed path carries its proof in it: a token that must not be logged, whatever was tried with
 * it.
 */
function createPathVeil(routes: readonly GatewayRoute[]): (path: string) => string {
  const prefixes = routes.flatMap(({ authz, path }) => (authz || path.kind !== 'regex' ? [] : [path.literal]))
  return (path) => {
    const prefix = prefixes.find((start) => path.startsWith(start))
    return prefix === undefined ? path : `${prefix}…`
  }
}

function record({ req, res, route, requestId }: Exchange, path: string, startedAt: number, logger: Logger): void {
  const seconds = (performance.now() - startedAt) / 1000
  const status = res.headersSent ? res.statusCode : 499
  durations.observe({ cluster: route.cluster, status: String(status) }, seconds)
  if (!logger.isLevelEnabled('debug')) return
  logger.debug(
    { method: req.method, path, route: route.name, status, durationMs: seconds * 1000, requestId },
    'request',
  )
}
