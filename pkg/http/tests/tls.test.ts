import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type CertificateHolder,
  createServiceFetch,
  generateServiceKeySet,
  orService,
  ServiceIdentity,
  type ServiceName,
  ServiceTls,
} from '@millrace/identity'
import { freePort, testIdentityAuthority, testLogger, waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { issueCertificate, makeAuthority } from '../../../infra/tooling/service-certificates.mjs'
import { createHttpServer } from '../src/index.js'
import { testRoute } from './harness.js'

const folder = mkdtempSync(join(tmpdir(), 'millrace-http-tls-'))
const at = (...parts: string[]) => join(folder, ...parts)
const keys = generateServiceKeySet()
const people = testIdentityAuthority()

beforeAll(() => {
  makeAuthority(at('authority'))
  makeAuthority(at('other-authority'), 'Somebody else')
  for (const holder of ['artifact', 'scheduler', 'worker', 'gateway'])
    issueCertificate(at('authority'), at(holder), holder)
  issueCertificate(at('other-authority'), at('stranger'), 'scheduler')
  issueCertificate(at('authority'), at('expired'), 'scheduler', -1)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const filesIn = (name: string, ca = 'authority') => ({
  ...{ cert: at(name, 'tls.crt'), key: at(name, 'tls.key') },
  ca: at(ca, 'tls.crt'),
})
const tlsOf = (name: CertificateHolder, from: string = name) => new ServiceTls(name, filesIn(from))

async function startArtifact(tls = tlsOf('artifact')) {
  const own = ServiceIdentity.fromKeySet('artifact', keys, tls)
  const server = createHttpServer({
    service: 'artifact',
    routes: [testRoute({ operationId: 'who', path: '/who', workers: true })],
    handlers: { who: async ({ identity }) => ({ status: 200, body: { subject: identity.subject } }) },
    verifier: orService(people.verifier, own, ['scheduler', 'worker']),
    logger: testLogger,
    readiness: () => Promise.resolve({ ok: true, dependencies: {} }),
    tls,
  })
  const port = await server.start('127.0.0.1', 0)
  onTestFinished(() => server.stop())
  return `https://127.0.0.1:${port}`
}

const tokenOf = (name: ServiceName) => ServiceIdentity.fromKeySet(name, keys).tokenFor('artifact')

async function who(url: string, tls: ServiceTls, header: string, peer: ServiceName = 'artifact') {
  const headers = { 'x-millrace-identity': header }
  const answer = await createServiceFetch(tls, peer, url)(`${url}/who`, { headers })
  return { status: answer.status, body: (await answer.json()) as { subject?: string } }
}

describe('an HTTP listener with a certificate', () => {
  test('serves a service that has the certificate of the name it claims', async () => {
    const url = await startArtifact()
    const answer = await who(url, tlsOf('scheduler'), tokenOf('scheduler'))
    expect(answer).toEqual({ status: 200, body: { subject: 'service:scheduler' } })
  })

  test('refuses one service’s token with another’s certificate, and a user’s identity that did not come by the gateway', async () => {
    const url = await startArtifact()
    expect((await who(url, tlsOf('worker'), tokenOf('scheduler'))).status).toBe(401)
    const user = people.identityHeader()
    expect((await who(url, tlsOf('worker'), user)).status).toBe(401)
    expect((await who(url, tlsOf('gateway'), user)).status).toBe(200)
    expect((await who(url, tlsOf('gateway'), tokenOf('scheduler'))).status).toBe(401)
  })

  test.each([
    ['another authority', () => tlsOf('scheduler', 'stranger')],
    ['that has expired', () => tlsOf('scheduler', 'expired')],
  ])('lets nobody in with a certificate of %s', async (_, tls) => {
    const url = await startArtifact()
    await expect(who(url, tls(), tokenOf('scheduler'))).rejects.toThrow()
  })

  test('lets nobody in without a certificate, and answers nothing in the clear', async () => {
    const url = await startArtifact()
    const { port } = new URL(url)
    const bare = { current: { ca: readFileSync(at('authority', 'tls.crt')) } } as unknown as ServiceTls
    await expect(createServiceFetch(bare, 'artifact', url)(`${url}/healthz`, {})).rejects.toThrow()
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow()
    const socket = connect(Number(port), '127.0.0.1')
    let received = ''
    socket.on('data', (chunk) => (received += chunk)).on('error', () => undefined)
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
    await new Promise((resolve) => socket.once('close', resolve))
    expect(received).not.toContain('HTTP')
  })
})

test('a client speaks to no other service, and not in the clear', async () => {
  const url = await startArtifact()
  await expect(who(url, tlsOf('scheduler'), tokenOf('scheduler'), 'iam')).rejects.toThrow(/iam\.millrace\.internal/)
  expect(() => createServiceFetch(tlsOf('scheduler'), 'artifact', 'http://artifact:8085')).toThrow(/https/)
})

test('a body that is a stream arrives, and an answer may be read as one', async () => {
  const tls = tlsOf('artifact')
  const server = createHttpServer({
    service: 'artifact',
    routes: [testRoute({ operationId: 'put', method: 'PUT', path: '/put', access: 'open', body: { binary: true } })],
    handlers: {
      put: async ({ raw }) => ({
        stream: async (res) => {
          for await (const chunk of raw.req) res.write(String(chunk).toUpperCase())
        },
      }),
    },
    verifier: people.verifier,
    logger: testLogger,
    readiness: () => Promise.resolve({ ok: true, dependencies: {} }),
    tls,
  })
  const url = `https://127.0.0.1:${await server.start('127.0.0.1', 0)}`
  onTestFinished(() => server.stop())
  const body = new Blob(['one,', 'two']).stream() as unknown as NonNullable<RequestInit['body']>
  const headers = { 'content-type': 'application/octet-stream', 'content-length': '7' }
  const answer = await createServiceFetch(
    tlsOf('worker'),
    'artifact',
    url,
  )(`${url}/put`, { method: 'PUT', headers, body })
  expect([answer.status, await answer.text()]).toEqual([200, 'ONE,TWO'])
})

test('probes are answered on a port of their own without TLS, and nothing else is', async () => {
  const probePort = await freePort()
  await startArtifact(new ServiceTls('artifact', filesIn('artifact'), probePort))
  const status = async (path: string) => (await fetch(`http://127.0.0.1:${probePort}${path}`)).status
  expect(await Promise.all(['/healthz', '/readyz', '/metrics'].map(status))).toEqual([200, 200, 200])
  expect(await status('/who')).toBe(404)
  expect(await rawStatus(probePort, '//healthz')).toBe(404)
})

const rawStatus = (port: number, path: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path }, (answer) => resolve(answer.resume().statusCode))
    sent.on('error', reject).end()
  })

test('new files count for new connections', { timeout: 60_000 }, async () => {
  makeAuthority(at('first'))
  makeAuthority(at('second'))
  const renew = (authority: string) => {
    issueCertificate(at(authority), at('turning-artifact'), 'artifact')
    issueCertificate(at(authority), at('turning'), 'scheduler')
  }
  renew('first')
  const turning = (name: ServiceName, from: string) =>
    new ServiceTls(name, { ...filesIn(from), ca: at(from, 'ca.crt') })
  const url = await startArtifact(turning('artifact', 'turning-artifact'))
  const old = turning('scheduler', 'turning')
  const lasting = createServiceFetch(old, 'artifact', url)
  const ask = async () => (await lasting(`${url}/healthz`, {})).text()
  await ask()
  renew('second')
  const fresh = turning('scheduler', 'turning')
  const answered = () =>
    who(url, fresh, tokenOf('scheduler')).then(
      ({ status }) => status === 200,
      () => false,
    )
  await waitFor(answered, { timeoutMs: 30_000 })
  // The kept connection goes on; a new one with the old certificate is refused.
  await expect(ask()).resolves.toContain('ok')
  await expect(who(url, old, tokenOf('scheduler'))).rejects.toThrow()
})
