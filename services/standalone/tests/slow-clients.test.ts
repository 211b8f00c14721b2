import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testLogger } from '@millrace/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGateway } from '../src/gateway/create-gateway.js'
import { readGatewayConfig } from '../src/gateway/gateway-config.js'
import { configFile, echo, startUpstreams } from './gateway-harness.js'
import { describeSlowClients, type SlowClientGateway } from './slow-client-cases.js'

const headMs = 1500
const bodyMs = 1000

async function start(): Promise<SlowClientGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-slow-'))
  const file = join(folder, 'envoy.yaml')
  const text = readFileSync(configFile, 'utf8')
  writeFileSync(file, text.replaceAll('request_headers_timeout: 15s', `request_headers_timeout: ${headMs / 1000}s`))
  const upstreams = await startUpstreams()
  const address = { host: '127.0.0.1', port: 0 }
  const gateway = createGateway({
    ...{ configFile: file, http: address, grpc: address, clusters: upstreams.clusters, drainMs: 100 },
    ...{ bodyWindowMs: bodyMs, logger: testLogger },
  })
  await gateway.start()
  return {
    ...{ port: gateway.httpPort, upstreams, headMs, bodyMs },
    async stop() {
      await gateway.stop()
      await upstreams.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

describeSlowClients('the Node gateway', start)

let gateway: SlowClientGateway
beforeAll(async () => {
  gateway = await start()
})
afterAll(() => gateway?.stop())

test('outside of tests a head has 15 s', () => {
  expect(readGatewayConfig(readFileSync(configFile, 'utf8')).http.headersTimeoutMs).toBe(15_000)
})

test('a body that brings a kibibyte in each window is served, however long it takes', async () => {
  const { upstreams, port } = gateway
  upstreams.setUpstream(echo)
  async function* body() {
    for (let i = 0; i < 12; i++) {
      await new Promise((resolve) => setTimeout(resolve, bodyMs / 4))
      yield Buffer.alloc(1024)
    }
  }
  const options = { method: 'PUT', body: ReadableStream.from(body()), duplex: 'half' } as RequestInit
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/artifacts/signed/abc`, options)
  expect([answer.status, await answer.json()]).toEqual([200, { bytes: 12 * 1024 }])
})
