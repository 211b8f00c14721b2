import { connect as connectHttp2, createServer as createHttp2Server, type IncomingHttpHeaders } from 'node:http2'
import { request } from 'node:https'
import { connect as connectTls, type DetailedPeerCertificate } from 'node:tls'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { call, type Upstreams } from './gateway-harness.js'

export const knownOrigin = 'https://app.example.org'
/** For the gateway without TLS. Its callers here are on loopback. */
export const edgeSettings = { trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'], corsOrigins: [knownOrigin] }

export interface Edge {
  upstreams: Upstreams
  grpcCalls: IncomingHttpHeaders[]
  /** Ports of a gateway with TLS and of one with trusted proxies and origins. */
  secure: { http: number; grpc: number }
  plain: { http: number; grpc: number }
  useCertificate(name: 'first' | 'second'): void
  stop(): Promise<void>
}

export interface GrpcUpstream {
  clusters: { 'scheduler-grpc': string }
  /** Headers of the calls that reached it. */
  calls: IncomingHttpHeaders[]
  stop(): void
}

/** A scheduler that answers every call with an empty stream. */
export async function startGrpcUpstream(): Promise<GrpcUpstream> {
  const calls: IncomingHttpHeaders[] = []
  const server = createHttp2Server().on('stream', (stream, headers) => {
    calls.push(headers)
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': 0 }, { endStream: true })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { clusters: { 'scheduler-grpc': `127.0.0.1:${port}` }, calls, stop: () => server.close() }
}

/** What an operator sets must mean the same, whichever gateway it is. */
export function describeEdge(title: string, start: () => Promise<Edge>): void {
  let edge: Edge
  beforeAll(async () => {
    edge = await start()
  }, 60_000)
  afterAll(() => edge?.stop())
  beforeEach(() => {
    edge.upstreams.seen.length = 0
    edge.upstreams.checks.length = 0
    edge.grpcCalls.length = 0
  })
  describe(`TLS by files: ${title}`, () => tlsCases(() => edge))
  describe(`a trusted proxy: ${title}`, () => proxyCases(() => edge))
  describe(`CORS: ${title}`, () => corsCases(() => edge))
  describe(`every answer of the gateway itself: ${title}`, () => headerCases(() => edge))
}

export function peerName(port: number, ALPNProtocols?: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
      ...(ALPNProtocols ? { ALPNProtocols } : {}),
    })
    socket.once('secureConnect', () => {
      const { subject } = socket.getPeerCertificate(true) as DetailedPeerCertificate
      socket.destroy()
      resolve(String(subject.CN))
    })
    socket.once('error', reject)
  })
}

function callGrpc(url: string, path: string, headers: Record<string, string> = {}): Promise<unknown> {
  const session = connectHttp2(url, { rejectUnauthorized: false })
  return new Promise((resolve, reject) => {
    session.on('error', reject)
    const stream = session.request({
      ...{ ':path': path, ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' },
      ...headers,
    })
    stream.on('response', (answer) => resolve(answer['grpc-status']))
    stream.on('error', reject)
    stream.end()
  }).finally(() => session.destroy())
}

function askSecurely(port: number, path: string): Promise<{ status: number | undefined; hsts: string | undefined }> {
  const options = { host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false }
  return new Promise((resolve, reject) => {
    request(options, (res) => {
      res.resume()
      resolve({ status: res.statusCode, hsts: res.headers['strict-transport-security'] })
    })
      .on('error', reject)
      .end()
  })
}

function tlsCases(edge: () => Edge): void {
  it.each([
    ['/healthz', 200],
    ['/api/v1/runs', 401],
    ['/api%2Fv1/runs', 400],
  ])('serves HTTP with it, says so behind and asks browsers to insist on it: %s', async (path, status) => {
    const { secure, upstreams } = edge()
    expect(await askSecurely(secure.http, path)).toEqual({ status, hsts: 'max-age=31536000' })
    expect(upstreams.seen.map(({ headers }) => headers['x-forwarded-proto'])).toEqual(status === 200 ? ['https'] : [])
  })

  it('does not speak without it, nor by an old version of it', async () => {
    const { secure } = edge()
    await expect(call(secure.http, 'GET', '/healthz')).rejects.toThrow()
    const old = new Promise((resolve, reject) => {
      const options = { port: secure.http, host: '127.0.0.1', rejectUnauthorized: false } as const
      connectTls({ ...options, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' })
        .once('secureConnect', resolve)
        .once('error', reject)
    })
    await expect(old).rejects.toThrow()
  })

  it('serves gRPC with it', async () => {
    expect(await callGrpc(`https://127.0.0.1:${edge().secure.grpc}`, '/nobody.Service/Method')).toBe('12')
  })

  it('takes a new certificate without a restart', async () => {
    const { secure, useCertificate } = edge()
    expect(await peerName(secure.http)).toBe('first.millrace.test')
    useCertificate('second')
    await waitFor(async () => (await peerName(secure.http)) === 'second.millrace.test', { timeoutMs: 30_000 })
    await waitFor(async () => (await peerName(secure.grpc, ['h2'])) === 'second.millrace.test', { timeoutMs: 30_000 })
  })
}

function proxyCases(edge: () => Edge): void {
  /** What iam is asked about and what the service gets. */
  async function seenWith(
    headers: Record<string, string>,
  ): Promise<{ client: unknown; proto: unknown; hsts: unknown }> {
    const { plain, upstreams } = edge()
    const answer = await call(plain.http, 'GET', '/api/v1/runs', { headers, token: 'good' })
    expect(answer.status).toBe(200)
    const [seen] = upstreams.seen
    const [check] = upstreams.checks
    expect(check?.attributes?.request?.http?.headers['x-forwarded-for']).toBe(seen?.headers['x-forwarded-for'])
    return {
      client: seen?.headers['x-forwarded-for'],
      proto: seen?.headers['x-forwarded-proto'],
      hsts: answer.headers['strict-transport-security'],
    }
  }

  it('says who calls and how; whatever else it forwards is not believed', async () => {
    const headers = {
      'x-forwarded-for': '6.6.6.6, 203.0.113.9',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': '6.6.6.6',
      'x-real-ip': '6.6.6.6',
      forwarded: 'for=6.6.6.6',
    }
    expect(await seenWith(headers)).toEqual({ client: '203.0.113.9', proto: 'https', hsts: 'max-age=31536000' })
    expect(JSON.stringify(edge().upstreams.seen)).not.toContain('6.6.6.6')
  })

  it.each([
    ['without a word of it', {}, '127.0.0.1'],
    ['through another trusted one', { 'x-forwarded-for': '6.6.6.6, 203.0.113.9, 10.1.2.3' }, '203.0.113.9'],
    ['in IPv6', { 'x-forwarded-for': '2001:db8::7' }, '2001:db8::7'],
    ['with garbage at the end', { 'x-forwarded-for': '203.0.113.9, nobody' }, '127.0.0.1'],
  ])('%s', async (_, headers, client) => {
    expect(await seenWith(headers)).toEqual({ client, proto: 'http', hsts: undefined })
  })

  it('says so on the gRPC port too, where nobody else does', async () => {
    const { plain, secure, grpcCalls } = edge()
    const headers = { 'x-forwarded-for': '6.6.6.6, 203.0.113.9', 'x-real-ip': '6.6.6.6' }
    expect(await callGrpc(`http://127.0.0.1:${plain.grpc}`, '/grpc.health.v1.Health/Check', headers)).toBe('0')
    expect(await callGrpc(`https://127.0.0.1:${secure.grpc}`, '/grpc.health.v1.Health/Check', headers)).toBe('0')
    expect(grpcCalls.map((call) => call['x-forwarded-for'])).toEqual(['203.0.113.9', '127.0.0.1'])
    expect(JSON.stringify(grpcCalls)).not.toContain('6.6.6.6')
  })

  it('is nobody else: from others the headers are theirs alone, and dropped', async () => {
    const { secure, upstreams } = edge()
    await new Promise((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port: secure.http,
        path: '/healthz',
        rejectUnauthorized: false,
        agent: false,
      }
      request({ ...options, headers: { 'x-forwarded-for': '6.6.6.6', 'x-forwarded-proto': 'http' } }, resolve)
        .on('error', reject)
        .end()
    })
    expect(upstreams.seen[0]?.headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' })
    expect(JSON.stringify(upstreams.seen)).not.toContain('6.6.6.6')
  })
}

function corsCases(edge: () => Edge): void {
  const preflight = (from: string) =>
    call(edge().plain.http, 'OPTIONS', '/api/v1/runs', {
      headers: {
        origin: from,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    })

  it('answers the question of a known origin without asking iam', async () => {
    const answer = await preflight(knownOrigin)
    const { upstreams } = edge()
    expect([answer.status, upstreams.checks.length, upstreams.seen.length]).toEqual([200, 0, 0])
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': knownOrigin,
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': expect.stringMatching(/^authorization, .*, x-millrace-project$/),
      'access-control-max-age': '600',
      vary: expect.stringContaining('origin'),
    })
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
  })

  it.each([
    'https://app.example.org.evil.test',
    'http://app.example.org',
    'https://APP.example.org',
    'null',
    '*',
    `${knownOrigin}:443`,
  ])('does not know %s', async (from) => {
    const question = await preflight(from)
    expect([question.status, question.headers['access-control-allow-origin']]).toEqual([401, undefined])
    const answer = await call(edge().plain.http, 'GET', '/healthz', { headers: { origin: from } })
    expect(answer.headers).toMatchObject({ vary: 'origin' })
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })

  it('lets a known origin read answers and refusals', async () => {
    for (const path of ['/healthz', '/api/v1/runs']) {
      const { headers } = await call(edge().plain.http, 'GET', path, { headers: { origin: knownOrigin } })
      expect({ path, ...headers }).toMatchObject({
        path,
        'access-control-allow-origin': knownOrigin,
        'access-control-expose-headers': expect.stringContaining('x-request-id'),
        vary: 'origin',
      })
    }
  })
}

function headerCases(edge: () => Edge): void {
  const large = { method: 'POST', path: '/api/v1/auth/login', body: Buffer.alloc(8 * 1024 * 1024 + 1) }
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x-h${i}`, '1']))
  it.each([
    [401, { method: 'GET', path: '/api/v1/runs' }],
    [400, { method: 'GET', path: '/api%2Fv1/runs' }],
    [413, large],
    [431, { method: 'GET', path: '/healthz', headers: many }],
  ])('%i carries the security headers', async (status, { method, path, ...options }) => {
    const answer = await call(edge().plain.http, method, path, options)
    expect({ status: answer.status, ...answer.headers }).toMatchObject({
      status,
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
    })
  })
}
