import { routes } from '@millrace/routes'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Check, call, deny, echo, raw } from '../gateway-harness.js'
import { nobody, startTwoGateways, type TwoGateways } from './two-gateways.js'

let both: TwoGateways

beforeAll(async () => {
  both = await startTwoGateways()
})
afterAll(() => both?.stop())
beforeEach(() => both.reset())

/** What of an answer, and of what arrived behind the gateway, must be the same. */
interface Outcome {
  status: number
  code: string | undefined
  type: string | undefined
  challenge: string | undefined
  /** It says which request it answers, and its body, if that says so too, says the same. */
  named: boolean
  /** What refuses says under which number. */
  numbered: boolean
  reached: string[]
  identity: string[]
  asked: string[]
}

interface Request {
  method?: string
  path: string
  token?: string
  headers?: Record<string, string>
  body?: Buffer | string
}

async function through(port: number, { method = 'GET', path, ...options }: Request): Promise<Outcome> {
  const { upstreams } = both
  upstreams.seen.length = 0
  upstreams.checks.length = 0
  const { status, headers, json, text } = await call(port, method, path, options)
  const id = headers['x-request-id']
  return {
    status,
    code: status < 400 ? undefined : (json?.code ?? text),
    type: status < 400 ? undefined : headers['content-type'],
    challenge: headers['www-authenticate'],
    named: id !== undefined && (json?.requestId ?? id) === id,
    numbered: status < 400 || json === undefined || typeof json.requestId === 'string',
    reached: upstreams.seen.map((seen) => `${seen.cluster} ${seen.method} ${seen.url}`),
    identity: upstreams.seen.map((seen) => String(seen.headers['x-millrace-identity'])),
    asked: upstreams.checks.map(({ attributes }) => attributes?.request?.http?.path ?? ''),
  }
}

async function expectSame(request: Request): Promise<Outcome> {
  const node = await through(both.node, request)
  const envoy = await through(both.envoy, request)
  // A difference: what Envoy refuses before it has read it, a path or headers, gets no number in its headers, and one of its own in the body.
  if ([400, 431].includes(envoy.status)) envoy.named = node.named
  expect({ ...request, body: undefined, outcome: envoy }).toEqual({ ...request, body: undefined, outcome: node })
  return node
}

const concrete = (path: string) => path.replaceAll(/\{\w+\+?\}/g, '0193a0b0')

describe('the same answer from both', () => {
  test('every route, with and without a token', async () => {
    for (const { method, path, access, service } of routes) {
      const without = await expectSame({ method, path: concrete(path) })
      expect(without.status).toBe(access === 'open' ? 200 : 401)
      const allowed = await expectSame({ method, path: concrete(path), token: 'good' })
      expect(allowed.reached[0]).toMatch(new RegExp(`^${service} `))
    }
  })

  test.each([
    ['GET', '/api/v1/auth/login'],
    ['DELETE', '/.well-known/jwks.json'],
    ['POST', '/docs'],
    ['OPTIONS', '/healthz'],
    ['HEAD', '/healthz'],
    ['POST', '/api/v1/auth/login/'],
    ['POST', '/api/v1/auth/loginx'],
    ['GET', '/'],
    ['GET', '/metrics'],
    ['GET', '/api/v1/nothing'],
    ['GET', '/API/v1/runs'],
    ['GET', '/docsx'],
    ['GET', '/runs/0198?task=a'],
    ['GET', '/invitations/secret'],
    ['HEAD', '/runs'],
    ['POST', '/runs'],
    ['PATCH', '/api/v1/runs'],
    ['PURGE', '/api/v1/runs'],
  ])('%s %s', async (method, path) => {
    await expectSame({ method, path })
    await expectSame({ method, path, token: 'good' })
    await expectSame({ method, path, token: 'bad' })
  })

  test.each([
    '/api/v1/auth%2Flogin',
    '/api/v1/auth%2flogin',
    '/api/v1/runs/..%5c..%5c',
    '/docs/../api/v1/runs',
    '/docs/%2e%2E/api/v1/runs',
    '/api/v1/./auth/../openapi.json?x=../..',
    '/api/v1/workflows/a%20b%C3%A9?q=%2F%5C+x',
    '/api/v1/runs?limit=5&cursor=%3D',
    '/api/v1/runs/x;y=1',
  ])('the path %s', async (path) => {
    await expectSame({ path, token: 'good' })
    await expectSame({ path })
  })

  test.each([
    { 'X-Millrace-Identity': 'forged' },
    { 'x-millrace-identity-extra': 'forged' },
    { 'x-millrace-project': 'mine' },
    { 'x-request-id': 'chosen-by-caller' },
    { te: 'trailers' },
    { expect: '100-continue' },
    { authorization: 'Bearer ' },
    { authorization: 'Basic Z29vZDpnb29k' },
  ])('the headers %j', async (headers) => {
    for (const path of ['/healthz', '/api/v1/runs']) {
      const { identity } = await expectSame({ path, headers })
      const { identity: allowed } = await expectSame({ path, headers: { authorization: 'Bearer good', ...headers } })
      expect(JSON.stringify([identity, allowed])).not.toContain('forged')
    }
  })

  test('too many headers, and too large ones', async () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x-h${i}`, '1']))
    for (const headers of [many, { 'x-large': 'x'.repeat(20_000) }, { 'x-larger': 'x'.repeat(70_000) }]) {
      expect((await expectSame({ path: '/api/v1/runs', token: 'good', headers })).status).toBe(431)
    }
  })

  test('a long path and a large header', async () => {
    await expectSame({ path: `/api/v1/runs/${'x'.repeat(2_000)}`, token: 'good' })
    await expectSame({ path: '/api/v1/runs', token: 'good', headers: { 'x-large': 'x'.repeat(7_000) } })
  })

  test.each([0, 1, 64 * 1024, 8 * 1024 * 1024])('a body of %i bytes passes', async (size) => {
    const body = Buffer.alloc(size, 'x')
    expect((await expectSame({ method: 'POST', path: '/api/v1/workflows', token: 'good', body })).status).toBe(200)
  })

  test('a body over 8 MiB does not pass', async () => {
    const body = Buffer.alloc(8 * 1024 * 1024 + 1, 'x')
    const request = { method: 'POST', path: '/api/v1/workflows', token: 'good', body }
    expect(await expectSame(request)).toMatchObject({ status: 413, code: 'body_too_large', reached: [] })
  })

  const answers: [string, Check][] = [
    ['refuses', deny],
    ['fails', () => Promise.reject(new Error('iam is broken'))],
    ['takes too long', () => new Promise(() => undefined)],
  ]
  test.each(answers)('nobody gets in when iam %s', async (_, check) => {
    both.upstreams.setCheck(check)
    const { status, reached } = await expectSame({ path: '/api/v1/runs', token: 'good' })
    expect([401, 503]).toContain(status)
    expect(reached).toEqual([])
  })
})

const refused = /^HTTP\/1\.1 400 /

describe('requests no client would make, refused by both', () => {
  test.each([
    'GET /api/v1/runs/\x01 HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /api/v1/runs HTTP/1.1\r\nHost: x\r\nx_millrace_identity: forged\r\n\r\n',
    'GARBAGE\r\n\r\n',
    'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    'GET /healthz HTTP/1.1\r\n\r\n',
    'GET /api/v1/r\xe9ns HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /api/v1/runs#fragment HTTP/1.1\r\nHost: x\r\n\r\n',
  ])('%j', async (bytes) => {
    expect(await raw(both.node, Buffer.from(bytes, 'latin1'))).toMatch(refused)
    expect(await raw(both.envoy, Buffer.from(bytes, 'latin1'))).toMatch(refused)
    expect(both.upstreams.seen).toEqual([])
  })
})

interface Difference {
  path: string
  node: Partial<Outcome>
  envoy: Partial<Outcome>
}

const refusal = { status: 400, code: 'malformed_request', reached: [], asked: [] }
/** Envoy mends such a path and goes on with the mended one: iam judges what the service gets. */
const mended = (path: string) => ({ status: 200, asked: [path], reached: [`workflow GET ${path}`] })

/** Where the two differ, and what each does. A row that stops being true fails. */
const differences: Difference[] = [
  // The Node gateway refuses what a well-behaved client never sends; Envoy has no setting for that.
  { path: '/api/v1//runs', node: refusal, envoy: mended('/api/v1/runs') },
  { path: '//api/v1/runs', node: refusal, envoy: mended('/api/v1/runs') },
  { path: '/api/v1/runs\\x', node: refusal, envoy: mended('/api/v1/runs/x') },
  { path: '/../api/v1/runs', node: refusal, envoy: mended('/api/v1/runs') },
  { path: '/%2e%2e/api/v1/runs', node: refusal, envoy: mended('/api/v1/runs') },
  // Escapes that decode to nothing sensible: with Envoy it is iam's Check that refuses them (isOddPath), with the same 400.
  { path: '/api/v1/runs/%0a', node: refusal, envoy: mended('/api/v1/runs/%0a') },
  { path: '/api/v1/runs/%7F', node: refusal, envoy: mended('/api/v1/runs/%7F') },
  { path: '/api/v1/runs/%', node: refusal, envoy: mended('/api/v1/runs/%') },
  { path: '/api/v1/runs/%zz', node: refusal, envoy: mended('/api/v1/runs/%zz') },
  { path: '/api/v1/runs?q=%00', node: refusal, envoy: mended('/api/v1/runs?q=%00') },
]

describe('known differences', () => {
  test.each(differences)('$path', async ({ path, node, envoy }) => {
    expect(await through(both.node, { path, token: 'good' })).toMatchObject(node)
    expect(await through(both.envoy, { path, token: 'good' })).toMatchObject(envoy)
    // Mended or not, nobody gets in without a token.
    expect((await through(both.envoy, { path })).status).toBe(401)
  })

  test('a denial without a body: iam always sends one; the Node gateway words it, Envoy leaves it empty', async () => {
    both.upstreams.setCheck(() => Promise.resolve({ status: { code: 13 } }))
    const request = { path: '/api/v1/runs', token: 'good' }
    expect(await through(both.node, request)).toMatchObject({ status: 403, code: 'permission_denied', reached: [] })
    expect(await through(both.envoy, request)).toMatchObject({ status: 403, code: '', reached: [] })
  })

  test('a connection that ends under a request: Envoy asks once more for what only reads, never for the rest', async () => {
    const breaksOnce = async (port: number, method: string) => {
      let broken = 0
      both.upstreams.setUpstream((req, res) => {
        if (broken > 0) return echo(req, res)
        broken += 1
        req.socket.destroy()
      })
      const { status, reached } = await through(port, { method, path: '/api/v1/runs', token: 'good' })
      return [status, reached.length]
    }
    expect(await breaksOnce(both.envoy, 'GET')).toEqual([200, 2])
    expect(await breaksOnce(both.envoy, 'POST')).toEqual([503, 1])
    expect(await breaksOnce(both.node, 'GET')).toEqual([503, 1])
    expect(await breaksOnce(both.node, 'POST')).toEqual([503, 1])
  })

  test.each([
    // An absolute address is legal HTTP for proxies: Envoy goes by its path, and asks iam as for any other.
    ['GET http://other/api/v1/runs HTTP/1.1\r\nHost: x\r\n\r\n', 400, 401],
    ['OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n', 400, 404],
    ['GET /healthz HTTP/1.0\r\n\r\n', 426, 426],
  ])('%j: neither lets it through, in other words', async (bytes, node, envoy) => {
    expect(await raw(both.node, bytes)).toMatch(new RegExp(`^HTTP/1.1 ${node} `))
    expect(await raw(both.envoy, bytes)).toMatch(new RegExp(`^HTTP/1.1 ${envoy} `))
    expect(both.upstreams.seen).toEqual([])
  })
})

describe('when something behind them is gone', () => {
  beforeAll(async () => {
    await both.stop()
    both = await startTwoGateways({ notification: nobody })
  })

  test('a service: 503, and the others go on', async () => {
    const { status, code } = await expectSame({ path: '/api/v1/subscriptions', token: 'good' })
    expect([status, code]).toEqual([503, 'upstream_unavailable'])
    expect((await expectSame({ path: '/api/v1/runs', token: 'good' })).status).toBe(200)
  })

  test('iam: nobody gets in, what is open stays open', async () => {
    await both.upstreams.authz.stop(0)
    const { status, code, reached } = await expectSame({ path: '/api/v1/runs', token: 'good' })
    expect({ status, code, reached }).toEqual({ status: 503, code: 'authorization_unavailable', reached: [] })
    expect((await expectSame({ path: '/healthz' })).status).toBe(200)
  })
})
