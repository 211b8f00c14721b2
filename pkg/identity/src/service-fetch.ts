import { Agent, type RequestOptions, request } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { ServiceName } from './service-name.js'
import { certificateName, type ServiceTls } from './service-tls.js'

export type ServiceFetch = (url: string, init: RequestInit) => Promise<Response>

/** Connections are kept by certificate as well as by address: after a change new ones are made, old ones fall idle. */
const IDLE_MS = 30_000

/**
 * `fetch` to another service: with this service's certificate, believing the peer's name alone. Node's own `fetch` takes
 * no certificate. Without TLS it is that one.
 */
export function createServiceFetch(own: ServiceTls | undefined, peer: ServiceName, baseUrl: string): ServiceFetch {
  if (own === undefined) return fetch
  if (!baseUrl.startsWith('https:')) throw new Error(`with TLS inside, ${baseUrl} of ${peer} must begin with https:`)
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS })
  return (url, { method = 'GET', headers, body, signal }) => {
    const options = {
      ...{ agent, method, ...own.current },
      servername: certificateName(peer),
      headers: headers as Record<string, string>,
      ...(signal ? { signal } : {}),
    }
    return send(url, options, body)
  }
}

function send(url: string, options: RequestOptions, body: RequestInit['body']): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      const status = answer.statusCode ?? 500
      if (status >= 300 && status < 400) {
        answer.destroy()
        reject(new Error(`unexpected redirect (${status})`))
        return
      }
      const empty = status === 204 || status === 304
      const pairs = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
      const content = Readable.toWeb(answer) as unknown as NonNullable<RequestInit['body']>
      resolve(new Response(empty ? null : content, { status, headers: pairs }))
    })
    sent.once('error', reject)
    if (body === undefined || body === null) sent.end()
    else if (typeof body === 'string') sent.end(body)
    else pipeline(Readable.fromWeb(body as ReadableStream), sent).catch(reject)
  })
}
