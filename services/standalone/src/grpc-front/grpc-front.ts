import {
  constants,
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { IDENTITY_HEADER } from '@millrace/identity'
import { Upstream } from './upstream.js'

export interface GrpcFrontOptions {
  scheduler: string
  metadata: string
}

export interface GrpcFront {
  start(host: string, port: number): Promise<number>
  /** Takes no new calls, gives those under way the grace, then cuts. */
  stop(graceMs?: number): Promise<void>
}

const status = { unavailable: '14', unimplemented: '12' }
const perConnection = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'host'])

/**
 * The public gRPC port. The services behind it live in two processes, and Envoy, which joins them elsewhere, is not
 * here; so calls are passed on as they are, by service name. Tokens are checked by the services themselves.
 */
export function createGrpcFront(options: GrpcFrontOptions): GrpcFront {
  const scheduler = new Upstream(options.scheduler)
  const metadata = new Upstream(options.metadata)
  const table: Record<string, Upstream> = {
    'millrace.scheduler.v1.SchedulerService': scheduler,
    'millrace.scheduler.v1.DispatchService': scheduler,
    'millrace.metadata.v1.LogService': metadata,
    'grpc.health.v1.Health': scheduler,
    'grpc.reflection.v1.ServerReflection': scheduler,
    'grpc.reflection.v1alpha.ServerReflection': scheduler,
  }
  const sessions = new Set<ServerHttp2Session>()
  const server = createServer({ settings: { initialWindowSize: 1024 * 1024, maxConcurrentStreams: 1000 } })
  server.on('session', (session) => {
    sessions.add(session)
    session.on('error', () => undefined)
    session.once('close', () => sessions.delete(session))
  })
  server.on('stream', (stream, headers) => {
    const service = (headers[':path'] ?? '').split('/')[1] ?? ''
    const upstream = Object.hasOwn(table, service) ? table[service] : undefined
    if (upstream) forward(stream, headers, upstream)
    else refuse(stream, status.unimplemented, 'unknown service')
  })
  return {
    start: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => {
          const address = server.address()
          resolve(typeof address === 'object' && address ? address.port : port)
        })
      }),
    async stop(graceMs = 1_000) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const session of sessions) session.close()
      const cut = setTimeout(() => {
        for (const session of sessions) session.destroy()
      }, graceMs)
      await closed
      clearTimeout(cut)
      scheduler.close()
      metadata.close()
    },
  }
}

function forward(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, upstream: Upstream): void {
  const call = upstream.request(withoutConnectionHeaders(headers))
  let answered = false
  call.on('response', (reply, flags) => {
    answered = true
    if (stream.destroyed || stream.headersSent) return
    // A refusal is headers alone, and must stay so: with a body and trailers after it the status would be lost.
    if (flags & constants.NGHTTP2_FLAG_END_STREAM) {
      stream.respond(withoutConnectionHeaders(reply), { endStream: true })
      return
    }
    stream.respond(withoutConnectionHeaders(reply), { waitForTrailers: true })
    call.pipe(stream)
  })
  let trailers: OutgoingHttpHeaders = {}
  call.on('trailers', (received) => {
    trailers = withoutConnectionHeaders(received)
  })
  stream.on('wantTrailers', () => stream.sendTrailers(trailers))
  call.on('error', () => {
    if (!answered) refuse(stream, status.unavailable, 'the service is not reachable')
    else stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  })
  call.on('close', () => {
    if (!answered) refuse(stream, status.unavailable, 'the service is not reachable')
  })
  // The caller went away: the service should stop working for it.
  stream.on('close', () => call.close(constants.NGHTTP2_CANCEL))
  stream.on('error', () => undefined)
  stream.pipe(call)
}

function refuse(stream: ServerHttp2Stream, grpcStatus: string, message: string): void {
  if (stream.destroyed || stream.headersSent) return
  stream.on('error', () => undefined)
  const headers = {
    ':status': 200,
    'content-type': 'application/grpc',
    'grpc-status': grpcStatus,
    'grpc-message': message,
  }
  stream.respond(headers, { endStream: true })
}

/** Also drops the signed identity, which only the gateway may add. */
function withoutConnectionHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !perConnection.has(name) && name !== IDENTITY_HEADER && name !== ':authority' && name !== ':scheme',
    ),
  )
}
