import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls, type DetailedPeerCertificate } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { testLogger, waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createGateway, type Gateway } from '../src/gateway/create-gateway.js'
import { call, configFile, startUpstreams, type Upstreams } from './gateway-harness.js'

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}.pem`, import.meta.url))
const address = { host: '127.0.0.1', port: 0 }
const origin = 'https://app.example.org'
let upstreams: Upstreams
let folder: string
let secure: Gateway
let plain: Gateway
const tls = () => ({ cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') })

function use(name: 'first' | 'second'): void {
  copyFileSync(fixture(`${name}.key`), tls().key)
  copyFileSync(fixture(`${name}.cert`), tls().cert)
}

beforeAll(async () => {
  upstreams = await startUpstreams()
  folder = mkdtempSync(join(tmpdir(), 'millrace-tls-'))
  use('first')
  const common = { configFile, http: address, grpc: address, clusters: upstreams.clusters, drainMs: 500 }
  secure = createGateway({ ...common, logger: testLogger, edge: { tls: tls() } })
  plain = createGateway({
    ...common,
    logger: testLogger,
    edge: { trustedProxies: ['127.0.0.0/8'], corsOrigins: [origin] },
  })
  await Promise.all([secure.start(), plain.start()])
})
afterAll(async () => {
  await Promise.all([secure?.stop(), plain?.stop()])
  await upstreams?.stop()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  upstreams.seen.length = 0
})

function peerName(port: number, ALPNProtocols?: string[]): Promise<string> {
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

describe('TLS by files', () => {
  it('serves HTTP with it, says so behind and asks browsers to insist on it', async () => {
    const answer = await new Promise<{ status: number | undefined; hsts: string | undefined }>((resolve, reject) => {
      const options = {
        host: '127.0.0.1',
        port: secure.httpPort,
        path: '/healthz',
        rejectUnauthorized: false,
        agent: false,
      }
      request(options, (res) => {
        res.resume()
        resolve({ status: res.statusCode, hsts: res.headers['strict-transport-security'] })
      })
        .on('error', reject)
        .end()
    })
    expect(answer).toEqual({ status: 200, hsts: 'max-age=31536000' })
    expect(upstreams.seen[0]?.headers['x-forwarded-proto']).toBe('https')
    await expect(call(secure.httpPort, 'GET', '/healthz')).rejects.toThrow()
  })

  it('serves gRPC with it', async () => {
    const session = connectHttp2(`https://127.0.0.1:${secure.grpcPort}`, { rejectUnauthorized: false })
    const status = await new Promise((resolve, reject) => {
      session.on('error', reject)
      const stream = session.request({ ':path': '/nobody.Service/Method', ':method': 'POST' })
      stream.on('response', (headers) => resolve(headers['grpc-status']))
      stream.on('error', reject)
    })
    session.destroy()
    expect(status).toBe('12')
  })

  it('takes a new certificate without a restart, and keeps the old one while the files do not fit', async () => {
    expect(await peerName(secure.httpPort)).toBe('first.millrace.test')
    copyFileSync(fixture('second.cert'), tls().cert)
    expect(await peerName(secure.httpPort)).toBe('first.millrace.test')
    use('second')
    await waitFor(async () => (await peerName(secure.httpPort)) === 'second.millrace.test', { timeoutMs: 15_000 })
    expect(await peerName(secure.grpcPort, ['h2'])).toBe('second.millrace.test')
  })

  it('does not start with files that are missing', async () => {
    const common = { configFile, http: address, grpc: address, clusters: upstreams.clusters, logger: testLogger }
    const broken = createGateway({ ...common, edge: { tls: { cert: '/nowhere/cert.pem', key: tls().key } } })
    await expect(broken.start()).rejects.toThrow(/nowhere/)
  })
})

describe('a trusted proxy', () => {
  it('says who calls and how; whatever else it forwards is not believed', async () => {
    const headers = {
      'x-forwarded-for': '6.6.6.6, 203.0.113.9',
      'x-forwarded-proto': 'https',
      'x-real-ip': '6.6.6.6',
      forwarded: 'for=6.6.6.6',
    }
    const answer = await call(plain.httpPort, 'GET', '/healthz', { headers })
    expect(answer.headers['strict-transport-security']).toBeDefined()
    expect(upstreams.seen[0]?.headers).toMatchObject({ 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https' })
    expect(JSON.stringify(upstreams.seen)).not.toContain('6.6.6.6')
  })
})

describe('CORS', () => {
  const preflight = (from: string) =>
    call(plain.httpPort, 'OPTIONS', '/api/v1/runs', {
      headers: {
        origin: from,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    })

  it('answers the question of a known origin without asking iam', async () => {
    upstreams.checks.length = 0
    const answer = await preflight(origin)
    expect([answer.status, upstreams.checks.length, upstreams.seen.length]).toEqual([204, 0, 0])
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': expect.stringContaining('PATCH'),
      'access-control-allow-headers': expect.stringContaining('authorization'),
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
    `${origin}:443`,
  ])('does not know %s', async (from) => {
    const question = await preflight(from)
    expect([question.status, question.headers['access-control-allow-origin']]).toEqual([401, undefined])
    const answer = await call(plain.httpPort, 'GET', '/healthz', { headers: { origin: from } })
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })

  it('lets a known origin read answers and refusals', async () => {
    for (const path of ['/healthz', '/api/v1/runs', '/a//b']) {
      const answer = await call(plain.httpPort, 'GET', path, { headers: { origin } })
      expect([path, answer.headers['access-control-allow-origin']]).toEqual([path, origin])
    }
  })
})

describe('every answer of the gateway itself', () => {
  it.each(['/api/v1/runs', '/a//b'])('%s carries the security headers', async (path) => {
    expect((await call(plain.httpPort, 'GET', path)).headers).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
    })
  })
})
