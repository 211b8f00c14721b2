import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testLogger, waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createGateway, type Gateway } from '../src/gateway/create-gateway.js'
import { describeEdge, type Edge, edgeSettings, knownOrigin, peerName, startGrpcUpstream } from './edge-cases.js'
import { call, certificate, configFile, startUpstreams, type Upstreams } from './gateway-harness.js'

const address = { host: '127.0.0.1', port: 0 }
const common = { configFile, http: address, grpc: address, drainMs: 500, logger: testLogger }

interface Certified {
  folder: string
  tls: { cert: string; key: string }
  use(name: 'first' | 'second'): void
}

function certifiedFolder(): Certified {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-tls-'))
  const tls = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  const use = (name: 'first' | 'second') => {
    copyFileSync(certificate(`${name}.key`), tls.key)
    copyFileSync(certificate(`${name}.cert`), tls.cert)
  }
  use('first')
  return { folder, tls, use }
}

async function startEdge(): Promise<Edge> {
  const upstreams = await startUpstreams()
  const scheduler = await startGrpcUpstream()
  const clusters = { ...upstreams.clusters, ...scheduler.clusters }
  const { folder, tls, use } = certifiedFolder()
  const secure = createGateway({ ...common, clusters, edge: { tls } })
  const plain = createGateway({ ...common, clusters, edge: edgeSettings })
  await Promise.all([secure.start(), plain.start()])
  return {
    upstreams,
    grpcCalls: scheduler.calls,
    secure: { http: secure.httpPort, grpc: secure.grpcPort },
    plain: { http: plain.httpPort, grpc: plain.grpcPort },
    useCertificate: use,
    async stop() {
      await Promise.all([secure.stop(), plain.stop()])
      await upstreams.stop()
      scheduler.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

describeEdge('the Node gateway', startEdge)

describe('the Node gateway alone', () => {
  let upstreams: Upstreams
  let certified: Certified
  let secure: Gateway
  beforeAll(async () => {
    upstreams = await startUpstreams()
    certified = certifiedFolder()
    const edge = { tls: certified.tls, corsOrigins: [knownOrigin] }
    secure = createGateway({ ...common, clusters: upstreams.clusters, edge })
    await secure.start()
  })
  afterAll(async () => {
    await secure?.stop()
    await upstreams?.stop()
    rmSync(certified.folder, { recursive: true, force: true })
  })

  it('keeps the certificate it has while the files do not fit together', async () => {
    copyFileSync(certificate('second.cert'), certified.tls.cert)
    expect(await peerName(secure.httpPort)).toBe('first.millrace.test')
    certified.use('second')
    await waitFor(async () => (await peerName(secure.httpPort)) === 'second.millrace.test', { timeoutMs: 15_000 })
  })

  it('does not start with files that are missing', async () => {
    const edge = { tls: { ...certified.tls, cert: '/nowhere/cert.pem' } }
    const broken = createGateway({ ...common, clusters: upstreams.clusters, edge })
    await expect(broken.start()).rejects.toThrow(/nowhere/)
  })

  it.each([
    ['0.0.0.0', false, 1],
    ['0.0.0.0', true, 0],
    ['127.0.0.1', false, 0],
  ])('warns of plain text that others can read: on %s, TLS %s', async (host, encrypted, warnings) => {
    const warn = vi.spyOn(testLogger, 'warn')
    onTestFinished(() => warn.mockRestore())
    const at = { host, port: 0 }
    const edge = encrypted ? { tls: certified.tls } : {}
    const gateway = createGateway({ ...common, http: at, grpc: at, clusters: upstreams.clusters, edge })
    await gateway.start()
    await gateway.stop()
    const said = warn.mock.calls.map((call) => JSON.stringify(call)).filter((text) => text.includes('without TLS'))
    expect(said).toHaveLength(warnings)
    for (const text of said) expect(text).toContain(host)
  })

  it('lets a known origin read also what is refused before its route is known', async () => {
    const plain = createGateway({ ...common, clusters: upstreams.clusters, edge: edgeSettings })
    await plain.start()
    const answer = await call(plain.httpPort, 'GET', '/a//b', { headers: { origin: knownOrigin } })
    await plain.stop()
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([400, knownOrigin])
  })
})
