import { createServer, type Server, type ServerOptions } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { isLoopback } from '@millrace/config'
import type { KeyPair, TlsFiles } from '@millrace/identity'
import type { ListenerConfig } from './gateway-config.js'

/** What an operator decides about the edge; everything else is in Envoy's configuration. */
export interface EdgeSettings {
  tls?: TlsFiles | undefined
  /** Networks in CIDR notation. */
  trustedProxies?: readonly string[]
  /** Exact origins, as `https://app.example.org`. */
  corsOrigins?: readonly string[]
}

export const TLS_OPTIONS = { minVersion: 'TLSv1.2' } as const

/** A year, as browsers recommend; without subdomains, which may belong to others. */
export const STRICT_TRANSPORT = 'max-age=31536000'

/** Node looks for late heads every 30 s unless told otherwise: the time that they may take would be three times as long. */
const LATE_HEADS_MS = 2000

export function createHttpListener({ maxHeaderBytes }: ListenerConfig, pair: KeyPair | undefined): Server {
  const options: ServerOptions = {
    maxHeaderSize: maxHeaderBytes,
    connectionsCheckingInterval: LATE_HEADS_MS,
    insecureHTTPParser: false,
  }
  return pair ? createTlsServer({ ...options, ...TLS_OPTIONS, ...pair }) : createServer(options)
}

/** Of whichever gateway listens there; undefined where nobody else can read what is sent. */
export function plainTextWarning(host: string, tls: unknown): string | undefined {
  if (tls !== undefined || isLoopback(host)) return undefined
  return `the gateway listens on ${host} without TLS: set MILLRACE_TLS_CERT and MILLRACE_TLS_KEY, or let a proxy end TLS and keep others from its ports`
}
