import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { Http2Server } from 'node:http2'
import type { Server as TlsServer } from 'node:tls'
import { type KeyPair, readKeyPair, watchKeyPair } from '@millrace/identity'
import type { Logger } from '@millrace/logger'
import { type EdgeSettings, plainTextWarning } from './edge-settings.js'
import { readGatewayConfig } from './gateway-config.js'
import { createGrpcGateway, type GrpcGateway } from './grpc-gateway.js'
import { createHttpGateway, type HttpGateway } from './http-gateway.js'

export interface GatewayOptions {
  /** The Envoy configuration that the gateway follows. */
  configFile: string
  http: { host: string; port: number }
  grpc: { host: string; port: number }
  /** host:port by cluster name, in place of the file's own addresses. */
  clusters: Record<string, string>
  logger: Logger
  edge?: EdgeSettings
  /** How long requests in flight may take after stop() was called. */
  drainMs?: number
  /** In which a body must bring its least number of bytes; tests shorten it. */
  bodyWindowMs?: number
}

export interface Gateway {
  start(): Promise<void>
  stop(): Promise<void>
  /** Bound ports, once started. */
  readonly httpPort: number
  readonly grpcPort: number
}

const DRAIN_MS = 10_000

export function createGateway(options: GatewayOptions): Gateway {
  let http: HttpGateway | undefined
  let grpc: GrpcGateway | undefined
  let stopping: Promise<void> | undefined
  let unwatch: (() => void) | undefined
  return {
    get httpPort() {
      return portOf(http?.server)
    },
    get grpcPort() {
      return portOf(grpc?.server)
    },
    async start() {
      const config = readGatewayConfig(await readFile(options.configFile, 'utf8'), options.clusters)
      const { edge = {}, bodyWindowMs, logger } = options
      const pair = edge.tls && readKeyPair(edge.tls)
      http = createHttpGateway({ ...config, bodyWindowMs }, logger, edge, pair)
      grpc = createGrpcGateway(config, logger, edge, pair)
      if (edge.tls) unwatch = watchKeyPair(edge.tls, (fresh) => useKeyPair([http?.server, grpc?.server], fresh), logger)
      const warning = plainTextWarning(options.http.host, edge.tls)
      if (warning) logger.warn({ host: options.http.host }, warning)
      try {
        await listen(http.server, options.http)
        await listen(grpc.server, options.grpc)
      } catch (error) {
        await stop(http, grpc, 0)
        throw error
      }
    },
    stop() {
      unwatch?.()
      stopping ??= stop(http, grpc, options.drainMs ?? DRAIN_MS)
      return stopping
    },
  }
}

/** Connections that are open go on with the certificate they began with. */
function useKeyPair(servers: readonly (Server | Http2Server | undefined)[], pair: KeyPair): void {
  for (const server of servers)
    if (server && 'setSecureContext' in server) (server as unknown as TlsServer).setSecureContext(pair)
}

function portOf(server: Server | Http2Server | undefined): number {
  const address = server?.address()
  if (typeof address !== 'object' || address === null) throw new Error('the gateway is not listening')
  return address.port
}

function listen(server: Server | Http2Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

const closed = (server: Server | Http2Server): Promise<void> =>
  new Promise((resolve) => {
    if (server.listening) server.close(() => resolve())
    else resolve()
  })

async function stop(http: HttpGateway | undefined, grpc: GrpcGateway | undefined, drainMs: number): Promise<void> {
  if (!http || !grpc) return
  const done = Promise.all([closed(http.server), closed(grpc.server)])
  http.endStreams()
  grpc.drain()
  http.server.closeIdleConnections()
  // Kept connections fall idle one by one as their requests end.
  const sweep = setInterval(() => http.server.closeIdleConnections(), 50)
  const force = setTimeout(() => {
    http.server.closeAllConnections()
    grpc.destroy()
  }, drainMs)
  await done
  clearInterval(sweep)
  clearTimeout(force)
  grpc.destroy()
  http.close()
}
