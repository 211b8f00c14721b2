import type { LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import type { Guard, ResolvedAddress } from './guard.js'
import { normaliseHost } from './target.js'

/**
 * The guard stands where sockets are opened, so that nothing passes it by: the name is resolved once, and the socket
 * can only reach the addresses that were checked, whatever the name means a moment later.
 */
export function createGuardedConnector(guard: Guard, connectTimeoutMs: number): buildConnector.connector {
  return (options, callback) => {
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80)
    guard(normaliseHost(options.hostname), port).then(
      (addresses) => {
        // TLS options and TCP options are a union in undici's types; `lookup` belongs to both.
        const connect = buildConnector({ lookup: pinnedTo(addresses), timeout: connectTimeoutMs, maxCachedSessions: 0 })
        connect(options, callback)
      },
      (error: Error) => callback(error, null),
    )
  }
}

function pinnedTo(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const first = addresses[0]
    if (options.all) callback(null, [...addresses])
    else if (first) callback(null, first.address, first.family)
    else callback(new Error('no address'), '', 4)
  }
}
