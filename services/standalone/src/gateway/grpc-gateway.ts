import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  createSecureServer,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { KeyPair } from '@millrace/identity'
import type { Logger } from '@millrace/logger'
import { createClientAddresses } from './client-address.js'
import { type EdgeSettings, TLS_OPTIONS } from './edge-settings.js'
import type { GatewayConfig, ListenerConfig } from './gateway-config.js'
import { isHopByHop } from './headers.js'
import { createRouteTable } from './route-table.js'

export interface GrpcGateway {
  readonly server: Http2Server
  /** No new streams; those open go on. */
  drain(): void
  /** Cuts whatever is left. */
  destroy(): void
}

const STATUS_UNIMPLEMENTED = 12
const STATUS_UNAVAILABLE = 14
const WINDOW_BYTES = 1024 * 1024

/** An HTTP/2 reverse proxy: one connection a service, streams and trailers passed on as they come. */
export function createGrpcGateway(
  config: GatewayConfig,
  logger: Logger,
  { trustedProxies = [] }: EdgeSettings = {},
  pair?: KeyPair,
): GrpcGateway {
  const findRoute = createRouteTable(config.grpc.routes)
  const connections = createConnections(config.clusters, logger)
  const sessions = new Set<ServerHttp2Session>()
  const addresses = createClientAddresses(trustedProxies)
  const server = createListener(pair)
  server.on('session', (session) => {
    sessions.add(session)
    session.setLocalWindowSize(4 * WINDOW_BYTES)
    session.once('close', () => sessions.delete(session))
    session.on('error', () => undefined)
  })
  server.on('sessionError', (error) => logger.debug({ err: error }, 'gRPC connection failed'))
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    const path = String(headers[':path'] ?? '')
    const route = findRoute(String(headers[':method'] ?? ''), path)
    if (!route || !METHOD_PATH.test(path) || isRefused(headers, config.grpc))
      return refuse(stream, STATUS_UNIMPLEMENTED, 'unknown service')
    const forwarded = headers['x-forwarded-for']
    const remote = stream.session?.socket.remoteAddress
    const client = addresses.clientOf(remote, typeof forwarded === 'string' ? forwarded : undefined)
    const upstream = connections.open(route.cluster, forwardHeaders(headers, config.grpc, client))
    if (upstream) join(stream, upstream)
    else refuse(stream, STATUS_UNAVAILABLE, 'the service is not available')
  })
  return {
    server,
    drain() {
      for (const session of sessions) session.close()
    },
    destroy() {
      for (const session of sessions) session.destroy()
      connections.close()
    },
  }
}

/** A method's full name and nothing else: no dots that climb, no escapes, no query. */
const METHOD_PATH = /^\/[A-Za-z0-9_.]+\/[A-Za-z0-9_]+$/

function createListener(pair: KeyPair | undefined): Http2Server {
  const options = {
    settings: { initialWindowSize: WINDOW_BYTES, maxConcurrentStreams: 10_000, maxHeaderListSize: 65_536 },
    maxSessionMemory: 64,
  }
  // Both kinds of server emit the same events; only their types have no common one.
  return pair
    ? (createSecureServer({ ...options, ...TLS_OPTIONS, ...pair }) as unknown as Http2Server)
    : createServer(options)
}

const isRefused = (headers: IncomingHttpHeaders, { rejectUnderscores }: ListenerConfig) =>
  rejectUnderscores && Object.keys(headers).some((name) => name.includes('_'))

function forwardHeaders(headers: IncomingHttpHeaders, config: ListenerConfig, client: string): IncomingHttpHeaders {
  const forwarded: IncomingHttpHeaders = {}
  for (const [name, value] of Object.entries(headers)) {
    // gRPC requires "te: trailers" on every hop.
    if ((isHopByHop(name) && name !== 'te') || name.startsWith('x-envoy-')) continue
    if (config.strippedPrefixes.some((prefix) => name.startsWith(prefix))) continue
    forwarded[name] = value
  }
  forwarded['x-forwarded-for'] = client
  return forwarded
}

function refuse(stream: ServerHttp2Stream, status: number, message: string): void {
  if (stream.destroyed || stream.headersSent) return
  const headers = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': status, 'grpc-message': message }
  stream.respond(headers, { endStream: true })
  stream.close(constants.NGHTTP2_NO_ERROR)
}

function join(stream: ServerHttp2Stream, upstream: ClientHttp2Stream): void {
  let trailers: IncomingHttpHeaders = {}
  upstream.on('error', () => undefined)
  upstream.once('response', (headers, flags) => {
    if (stream.destroyed) return
    const endStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0
    stream.respond(headers, endStream ? { endStream: true } : { waitForTrailers: true })
    if (!endStream) upstream.pipe(stream)
  })
  upstream.once('trailers', (received) => {
    trailers = received
  })
  stream.once('wantTrailers', () => stream.sendTrailers(trailers))
  stream.pipe(upstream)
  upstream.once('close', () => {
    if (stream.destroyed || stream.writableEnded) return
    if (!stream.headersSent) refuse(stream, STATUS_UNAVAILABLE, 'the service is not available')
    else stream.close(upstream.rstCode || constants.NGHTTP2_INTERNAL_ERROR)
  })
  stream.once('close', () => {
    if (!upstream.destroyed) upstream.close(constants.NGHTTP2_CANCEL)
  })
}

interface Connections {
  open(cluster: string, headers: IncomingHttpHeaders): ClientHttp2Stream | undefined
  close(): void
}

function createConnections(clusters: ReadonlyMap<string, string>, logger: Logger): Connections {
  const open = new Map<string, ClientHttp2Session>()
  const sessionOf = (cluster: string): ClientHttp2Session => {
    const known = open.get(cluster)
    if (known && !known.closed && !known.destroyed) return known
    const session = connect(`http://${clusters.get(cluster)}`, {
      settings: { initialWindowSize: WINDOW_BYTES, enablePush: false },
      maxSessionMemory: 64,
    })
    const forget = () => {
      if (open.get(cluster) === session) open.delete(cluster)
    }
    session.on('error', (error) => logger.debug({ err: error, cluster }, 'gRPC upstream failed'))
    session.once('connect', () => session.setLocalWindowSize(4 * WINDOW_BYTES))
    session.once('goaway', forget)
    session.once('close', forget)
    open.set(cluster, session)
    return session
  }
  return {
    open(cluster, headers) {
      try {
        return sessionOf(cluster).request(headers)
      } catch (error) {
        logger.warn({ err: error, cluster }, 'gRPC upstream refused a stream')
        return undefined
      }
    },
    close() {
      for (const session of open.values()) session.destroy()
    },
  }
}
