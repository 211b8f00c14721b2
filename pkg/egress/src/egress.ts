import { unprocessable } from '@millrace/errors'
import { Agent, type Dispatcher } from 'undici'
import { createGuardedConnector } from './connector.js'
import { toEgressError } from './failure.js'
import { createGuard, type GuardOptions, type ResolvedAddress } from './guard.js'
import { type Overflow, readBody } from './read-body.js'
import { type Hop, isRedirect, nextHop, tooManyRedirects } from './redirect.js'
import { canonicalHost, parseTarget } from './target.js'

export interface EgressOptions extends GuardOptions {
  connectTimeoutMs?: number
}

export interface EgressRequest {
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array
  maxResponseBytes?: number
  /** What a larger response does; default `fail`. */
  overflow?: Overflow
  /** For the whole call: names, connects, redirects and body. */
  timeoutMs?: number
  signal?: AbortSignal
  /** `manual` answers the redirect itself; `follow` checks every hop anew. */
  redirect?: 'follow' | 'manual'
}

export interface EgressResponse {
  status: number
  headers: Record<string, string>
  body: Buffer
  /** Where the answer came from, after redirects. */
  url: string
}

/**
 * Errors are AppErrors: `unprocessable` with reason `egress_denied`, `url_invalid`, `request_invalid`,
 * `redirect_refused` or `too_many_redirects`; `too_large` `response_too_large`; `deadline_exceeded` `timeout`; `cancelled` `cancelled`;
 * `unavailable` with reason `dns_error` or `network_error`.
 */
export interface Egress {
  fetch(url: string | URL, request?: EgressRequest): Promise<EgressResponse>
  check(url: string | URL): Promise<void>
  /**
   * For protocols other than HTTP: the addresses of a host that may be connected to. Connect to one of these, never to the
   * name again, which may mean something else by then.
   */
  addresses(host: string, port: number): Promise<ResolvedAddress[]>
  close(): Promise<void>
}

const maxHops = 6
const defaultMaxResponseBytes = 8 * 1024 * 1024
const defaultTimeoutMs = 30_000
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

export function createEgress(options: EgressOptions): Egress {
  const guard = createGuard(options)
  const agent = new Agent({ connect: createGuardedConnector(guard, options.connectTimeoutMs ?? 10_000) })
  return {
    async check(url) {
      const { host, port } = parseTarget(url)
      await guard(host, port)
    },
    addresses: async (host, port) => guard(canonicalHost(host), port),
    fetch: (url, request = {}) => fetchThrough(agent, url, request),
    close: () => agent.destroy(),
  }
}

async function fetchThrough(agent: Agent, url: string | URL, request: EgressRequest): Promise<EgressResponse> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), request.timeoutMs ?? defaultTimeoutMs)
  const signal = request.signal ? AbortSignal.any([request.signal, timeout.signal]) : timeout.signal
  try {
    return await untilAborted(followHops(agent, firstHop(url, request), request, signal), signal)
  } catch (error) {
    throw toEgressError(error, timeout.signal, request.signal)
  } finally {
    clearTimeout(timer)
  }
}

async function followHops(
  agent: Agent,
  first: Hop,
  request: EgressRequest,
  signal: AbortSignal,
): Promise<EgressResponse> {
  let hop = first
  for (let count = 0; count < maxHops; count++) {
    const answer = await send(agent, hop, signal)
    const location = answer.headers.location
    if (request.redirect === 'manual' || !isRedirect(answer.statusCode) || typeof location !== 'string') {
      return await receive(answer, hop, request)
    }
    await answer.body.dump({ limit: 16_384, signal })
    hop = nextHop(hop, answer.statusCode, location)
  }
  throw tooManyRedirects()
}

function send(agent: Agent, hop: Hop, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  signal.throwIfAborted()
  const { origin, pathname, search } = hop.target.url
  return agent.request({
    origin,
    path: pathname + search,
    method: hop.method as Dispatcher.HttpMethod,
    headers: hop.headers,
    body: hop.body ?? null,
    signal,
    // The time limit of the whole call stands in for both.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

async function receive(answer: Dispatcher.ResponseData, hop: Hop, request: EgressRequest): Promise<EgressResponse> {
  const maxBytes = request.maxResponseBytes ?? defaultMaxResponseBytes
  const encoding = answer.headers['content-encoding']
  const bodyless = hop.method === 'HEAD' || answer.statusCode === 204 || answer.statusCode === 304
  const body = await readBody(
    answer.body,
    bodyless ? undefined : joined(encoding),
    maxBytes,
    request.overflow ?? 'fail',
  )
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(answer.headers)) {
    const text = joined(value)
    if (text !== undefined) headers[name] = text
  }
  return { status: answer.statusCode, headers, body, url: hop.target.url.href }
}

const joined = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(', ') : value)

function firstHop(url: string | URL, request: EgressRequest): Hop {
  const target = parseTarget(url)
  const method = (request.method ?? 'GET').toUpperCase()
  if (!methods.has(method)) throw unprocessable('request_invalid', 'The method is not supported')
  const headers = { ...request.headers }
  const { username, password } = target.url
  if (username !== '' || password !== '') {
    const named = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
    const pair = `${unescaped(username)}:${unescaped(password)}`
    if (!named) headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
    target.url.username = ''
    target.url.password = ''
  }
  return { target, method, headers, body: request.body }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A resolver that hangs cannot be interrupted; the caller is let go all the same. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
