import { createServer, type Server } from 'node:http'
import express from 'express'
import { createDispatcher } from './dispatcher.js'
import { purgeExpiredKeys } from './idempotency.js'
import { OpenConnections } from './open-connections.js'
import { createProbes, createTlsListener } from './tls-listener.js'
import type { HttpServer, HttpServerOptions } from './types.js'

const PURGE_MS = 10 * 60_000
const DRAIN_MS = 10_000

export function createHttpServer(options: HttpServerOptions): HttpServer {
  let stopping = false
  const dispatcher = createDispatcher(options, () => stopping)
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  options.extend?.(app)
  app.use(dispatcher.middleware)
  app.use(dispatcher.onError)
  const { tls, logger } = options
  const server = tls ? createTlsListener(tls, app) : createServer(app)
  const probes = tls?.probePort === undefined ? undefined : { listener: createProbes(app), port: tls.probePort }
  const connections = new OpenConnections(server)
  configure(server, options)
  const purge = schedulePurge(options)
  let unwatch: (() => void) | undefined
  return {
    async start(host, port) {
      const bound = await listen(server, host, port)
      unwatch = tls?.watch(logger)
      if (probes) await listen(probes.listener, host, probes.port)
      return bound
    },
    async stop() {
      if (stopping) return
      stopping = true
      clearInterval(purge)
      unwatch?.()
      probes?.listener.close()
      probes?.listener.closeAllConnections()
      await drain(server, connections, () => dispatcher.endStreams(), options.drainMs ?? DRAIN_MS)
    },
  }
}

function configure(server: Server, { routes }: HttpServerOptions): void {
  // Longer than the gateway keeps an idle connection: it must be the gateway that closes first, never us under a request.
  server.keepAliveTimeout = 75_000
  if (routes.some((route) => route.body?.binary)) server.requestTimeout = 0
}

function schedulePurge({ idempotency, logger }: HttpServerOptions): NodeJS.Timeout | undefined {
  if (!idempotency) return undefined
  const timer = setInterval(() => {
    purgeExpiredKeys(idempotency.pool).catch((error: unknown) =>
      logger.warn({ err: error }, 'idempotency keys not purged'),
    )
  }, PURGE_MS)
  return timer.unref()
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

async function drain(
  server: Server,
  connections: OpenConnections,
  endStreams: () => void,
  graceMs: number,
): Promise<void> {
  if (!server.listening) return
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  endStreams()
  const closeUnused = () => {
    server.closeIdleConnections()
    connections.closeUnused()
  }
  closeUnused()
  // Keep-alive connections become idle one by one as their requests end.
  const sweep = setInterval(closeUnused, 50)
  const force = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(sweep)
  clearTimeout(force)
}
