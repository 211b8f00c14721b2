import { Agent, type ClientRequest, request } from 'node:http'

export interface Upstream {
  request(method: string, target: string, headers: readonly string[]): ClientRequest
  close(): void
}

export function splitAddress(address: string): { host: string; port: number } {
  const colon = address.lastIndexOf(':')
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)) }
}

/** Idle connections are closed after a minute: sooner than the services do, so none is closed under a new request. */
const IDLE_MS = 60_000

export function createUpstream(address: string): Upstream {
  const { host, port } = splitAddress(address)
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 128, scheduling: 'lifo', timeout: IDLE_MS })
  return {
    request: (method, path, headers) => request({ agent, host, port, method, path, headers: headers as string[] }),
    close: () => agent.destroy(),
  }
}
