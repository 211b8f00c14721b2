import { openRoutes, routes } from '@millrace/routes'
import { startTelemetry } from '@millrace/telemetry'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { allow, byToken, call, deny, echo, type GatewayHarness, raw, startGateway } from './gateway-harness.js'

let harness: GatewayHarness
const get = (path: string, headers: Record<string, string> = {}) => call(harness.port, 'GET', path, { headers })
const authed = (path: string, headers: Record<string, string> = {}) =>
  call(harness.port, 'GET', path, { token: 'good', headers })

beforeAll(async () => {
  startTelemetry({ serviceName: 'test' })
  harness = await startGateway()
})
afterAll(() => harness.stop())
beforeEach(() => {
  harness.setCheck(byToken)
  harness.setUpstream(echo)
  harness.seen.length = 0
  harness.checks.length = 0
})

const concrete = (path: string) => path.replaceAll(/\{\w+\+?\}/g, '0193a0b0')

describe('who gets through', () => {
  it('asks for an identity on every route but the open ones, and reaches the right service', async () => {
    for (const route of routes) {
      const answer = await call(harness.port, route.method, concrete(route.path))
      const open = route.access === 'open'
      expect([route.operationId, answer.status]).toEqual([route.operationId, open ? 200 : 401])
      const allowed = await call(harness.port, route.method, concrete(route.path), { token: 'good' })
      expect(allowed.status).toBe(200)
      expect([route.operationId, harness.seen.at(-1)?.cluster]).toEqual([route.operationId, route.service])
    }
  })

  it('never asks iam about an open route', async () => {
    for (const route of openRoutes()) await call(harness.port, route.method, concrete(route.path))
    expect(harness.checks).toEqual([])
  })

  it.each([
    ['GET', '/api/v1/auth/login'],
    ['DELETE', '/.well-known/jwks.json'],
    ['POST', '/docs'],
    ['OPTIONS', '/healthz'],
    ['POST', '/api/v1/artifacts/signed/x'],
    ['POST', '/api/v1/auth/login/'],
    ['POST', '/api/v1/auth/loginx'],
    ['POST', '/'],
    ['POST', '/metrics'],
    ['GET', '/api/v1/nothing'],
    ['GET', '/API/v1/runs'],
    ['GET', '/runs/../api/v1/runs'],
    ['GET', '/.well-known/jwksXjson'],
    ['PUT', '/runs'],
  ])('keeps %s %s closed', async (method, path) => {
    expect((await call(harness.port, method, path)).status).toBe(401)
    expect(harness.seen).toEqual([])
  })

  it.each(['/', '/runs/0198', '/docsx', '/metrics', '/invitations/secret', '/assets/a.js'])(
    'sends GET %s to workflow, which has the console, and asks iam nothing',
    async (path) => {
      expect((await get(path)).status).toBe(200)
      expect(harness.seen.map(({ cluster }) => cluster)).toEqual(['workflow'])
      expect(harness.checks).toEqual([])
    },
  )

  it('gives HEAD the exemption of GET', async () => {
    expect((await call(harness.port, 'HEAD', '/healthz')).status).toBe(200)
  })

  it('passes a denial on as iam worded it', async () => {
    const answer = await get('/api/v1/runs')
    expect(answer.json).toEqual({ status: 401, code: 'unauthenticated' })
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(answer.headers['www-authenticate']).toBe('Bearer')
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('words a denial itself when iam is brief, and never takes silence for consent', async () => {
    harness.setCheck(() => Promise.resolve({ status: { code: 7 } }))
    expect((await get('/api/v1/runs')).json).toMatchObject({ status: 403, code: 'permission_denied' })
    harness.setCheck(() => Promise.resolve({}))
    expect((await get('/api/v1/runs')).status).toBe(503)
    expect(harness.seen).toEqual([])
  })

  it('strips an identity from outside, guarded route or open', async () => {
    const forged = {
      'X-Millrace-Identity': 'forged',
      'x-millrace-identity-extra': 'forged',
      'x-millrace-project': 'mine',
    }
    await authed('/api/v1/runs', forged)
    await get('/healthz', forged)
    const [guarded, open] = harness.seen
    expect(guarded?.headers['x-millrace-identity']).toBe('signed-by-iam')
    expect(guarded?.headers['x-millrace-project']).toBe('mine')
    expect(open?.headers['x-millrace-identity']).toBeUndefined()
    expect(JSON.stringify(harness.seen)).not.toContain('forged')
  })

  it('strips an identity that hides behind Connection or repetition', async () => {
    const bytes =
      'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Millrace-Identity: forged\r\nx-millrace-identity: forged2\r\n' +
      'Connection: close, x-secret\r\nX-Secret: 1\r\n\r\n'
    expect(await raw(harness.port, bytes)).toMatch(/^HTTP\/1.1 200/)
    expect(JSON.stringify(harness.seen)).not.toMatch(/forged|x-secret/)
  })

  it('refuses header names with underscores, which others read as dashes', async () => {
    const answer = await authed('/api/v1/runs', { x_millrace_identity: 'forged' })
    expect(answer.json).toMatchObject({ status: 400, code: 'malformed_request' })
    expect(harness.seen).toEqual([])
  })

  it('tells iam what it needs, and no more', async () => {
    await authed('/api/v1/runs?limit=5', { 'x-millrace-project': 'p', cookie: 'private', 'x-forwarded-for': '6.6.6.6' })
    const http = harness.checks[0]?.attributes?.request?.http
    expect(http).toMatchObject({ method: 'GET', path: '/api/v1/runs?limit=5' })
    expect(http?.headers).toMatchObject({ authorization: 'Bearer good', 'x-millrace-project': 'p' })
    expect(http?.headers['x-forwarded-for']).toBe('127.0.0.1')
    expect(http?.headers.cookie).toBeUndefined()
    expect(harness.checks[0]?.attributes?.source?.address?.socketAddress?.address).toBe('127.0.0.1')
  })

  it('does as iam says with headers of the request and the answer', async () => {
    harness.setCheck(() =>
      Promise.resolve({
        status: { code: 0 },
        okResponse: {
          headers: [{ header: { key: 'x-added', value: '1' }, appendAction: 0 }],
          headersToRemove: ['authorization'],
          responseHeadersToAdd: [{ header: { key: 'x-ratelimit-remaining', value: '9' } }],
        },
      }),
    )
    const answer = await authed('/api/v1/runs')
    expect(answer.headers['x-ratelimit-remaining']).toBe('9')
    expect(harness.seen[0]?.headers).toMatchObject({ 'x-added': '1' })
    expect(harness.seen[0]?.headers.authorization).toBeUndefined()
  })
})

describe('what a path may look like', () => {
  it.each([
    '/api/v1/auth%2Flogin',
    '/api/v1/auth%2flogin',
    '/api/v1/runs/..%5c..%5c',
    '/api/v1//runs',
    '//api/v1/runs',
    '/api/v1/runs/%00',
    '/api/v1/runs/%0a',
    '/api/v1/runs/%7F',
    '/api/v1/runs/%',
    '/api/v1/runs/%zz',
    '/api/v1/runs/%ff',
    '/api/v1/runs\\x',
    '/../api/v1/runs',
    '/%2e%2e/api/v1/runs',
    '/api/v1/runs?q=%00',
  ])('refuses %s', async (path) => {
    const answer = await authed(path)
    expect(answer.json).toMatchObject({ status: 400, code: 'malformed_request' })
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect([harness.seen, harness.checks]).toEqual([[], []])
  })

  it.each([
    'GET /api/v1/runs/\x01 HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /api/v1/r\xe9ns HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET http://other/api/v1/runs HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /api/v1/runs#fragment HTTP/1.1\r\nHost: x\r\n\r\n',
    'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
    'GARBAGE\r\n\r\n',
    'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
  ])('refuses the request %j', async (bytes) => {
    const answer = await raw(harness.port, Buffer.from(bytes, 'latin1'))
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
    expect(answer).toContain('"code":"malformed_')
    expect(harness.seen).toEqual([])
  })

  it('refuses too many and too large headers', async () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`x-h${index}`, '1']))
    expect((await authed('/api/v1/runs', many)).status).toBe(431)
    expect((await authed('/api/v1/runs', { 'x-large': 'x'.repeat(20_000) })).status).toBe(431)
    expect(harness.seen).toEqual([])
  })

  it('resolves dot segments before it decides', async () => {
    expect((await get('/docs/../api/v1/runs')).status).toBe(401)
    expect((await get('/docs/%2e%2E/api/v1/runs')).status).toBe(401)
    expect((await get('/api/v1/./auth/../openapi.json?x=../..')).status).toBe(200)
    expect(harness.seen.map(({ url }) => url)).toEqual(['/api/v1/openapi.json?x=../..'])
  })

  it('leaves escapes and the query as they came', async () => {
    await authed('/api/v1/workflows/a%20b%C3%A9?q=%2F%5C+x')
    expect(harness.seen[0]?.url).toBe('/api/v1/workflows/a%20b%C3%A9?q=%2F%5C+x')
  })
})

describe('what passes on', () => {
  it('sets the request id, the forwarded address and the trace', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
    const answer = await authed('/api/v1/runs', {
      traceparent: `00-${trace}-00f067aa0ba902b7-01`,
      'x-request-id': 'chosen-by-caller',
      'x-forwarded-for': '6.6.6.6',
      'x-forwarded-proto': 'gopher',
      'x-envoy-original-path': '/x',
      te: 'trailers',
    })
    const headers = harness.seen[0]?.headers ?? {}
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.headers['x-request-id']).toBe(headers['x-request-id'])
    expect(headers['x-forwarded-for']).toBe('127.0.0.1')
    expect(headers['x-forwarded-proto']).toBe('http')
    expect(headers.traceparent).toContain(trace)
    expect(headers['x-envoy-original-path']).toBeUndefined()
    expect(headers.te).toBeUndefined()
    expect(answer.headers['x-from']).toBe('upstream')
  })

  it('keeps every value of a repeated answer header', async () => {
    harness.setUpstream((_req, res) =>
      res
        .writeHead(
          201,
          [
            ['set-cookie', 'a=1'],
            ['set-cookie', 'b=2'],
          ].flat(),
        )
        .end('ok'),
    )
    const answer = await get('/healthz')
    expect(answer.status).toBe(201)
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2'])
  })

  it('drops what belongs to one hop from the answer', async () => {
    harness.setUpstream((_req, res) =>
      res.writeHead(200, { connection: 'x-inner', 'x-inner': '1', 'keep-alive': 'timeout=9' }).end(),
    )
    const answer = await get('/healthz')
    expect(answer.headers['x-inner']).toBeUndefined()
    expect(answer.headers['keep-alive']).not.toBe('timeout=9')
  })

  it('answers requests on one connection in order, refused or not', async () => {
    const one = (path: string, end = false) =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\n${end ? 'Connection: close\r\n' : ''}\r\n`
    harness.setCheck(deny)
    const { connect } = await import('node:net')
    const text = await new Promise<string>((resolve, reject) => {
      const chunks: Buffer[] = []
      const socket = connect(harness.port, '127.0.0.1')
      socket.write(one('/healthz') + one('/api/v1/runs') + one('/a//b') + one('/readyz', true))
      socket.on('data', (chunk) => chunks.push(chunk))
      socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
      socket.on('error', reject)
    })
    expect([...text.matchAll(/HTTP\/1.1 (\d+) /g)].map(([, status]) => status)).toEqual(['200', '401', '400', '200'])
  })
})

describe('when iam fails', () => {
  it('stays closed while it answers with an error', async () => {
    harness.setCheck(() => Promise.reject(new Error('broken')))
    const answer = await authed('/api/v1/runs')
    expect(answer.json).toMatchObject({ status: 503, code: 'authorization_unavailable' })
    expect(harness.seen).toEqual([])
  })

  it('stays closed when it is slow, within the time that Envoy gives it', async () => {
    harness.setCheck((check) => new Promise((resolve) => setTimeout(() => resolve(allow(check)), 4000)))
    const before = Date.now()
    expect((await authed('/api/v1/runs')).status).toBe(503)
    expect(Date.now() - before).toBeGreaterThan(1500)
    expect(Date.now() - before).toBeLessThan(3500)
  })

  it('stays closed when it is gone, while open routes go on', async () => {
    const alone = await startGateway({ 'iam-grpc': '127.0.0.1:1' })
    try {
      expect((await call(alone.port, 'GET', '/api/v1/runs', { token: 'good' })).status).toBe(503)
      expect((await call(alone.port, 'GET', '/healthz')).status).toBe(200)
    } finally {
      await alone.stop()
    }
  })
})
