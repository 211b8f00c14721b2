import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, newUser } from '../../../../tests/support/client.js'
import { RemoteWorker } from '../../../../tests/support/remote-worker.js'
import { issueCertificate } from '../../../tooling/service-certificates.mjs'
import { startStack, stopStack, type TemporaryStack } from '../../../tooling/temporary-stack.mjs'

const folder = mkdtempSync(join(tmpdir(), 'millrace-tls-stack-'))
let stack: TemporaryStack | undefined
let client: Client
let address = ''

beforeAll(async () => {
  stack = await startStack(folder, { MILLRACE_TLS_SERVICES: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: '' })
  address = stack.env.MILLRACE_TARGET_GRPC ?? ''
  client = (await newUser({ url: stack.env.MILLRACE_TARGET_URL ?? '' })).client
})

afterAll(async () => {
  if (stack) await stopStack(stack)
  rmSync(folder, { recursive: true, force: true })
})

const stackDir = () => stack?.env.MILLRACE_TARGET_STACK_DIR ?? ''

/** Every port of a service but those of the probes, as its process was given them. */
function portsOfServices(): [string, number][] {
  const { entries } = JSON.parse(readFileSync(join(stackDir(), 'stack.json'), 'utf8')) as {
    entries: { name: string; pid: number }[]
  }
  return entries.flatMap(({ name, pid }) => {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    return environment.flatMap((line): [string, number][] => {
      const [, kind, port] = /^MILLRACE_SERVICE_(HTTP|GRPC|PUBLIC_GRPC)_PORT=(\d+)$/.exec(line) ?? []
      const onlyProbes = name.startsWith('worker') && kind === 'HTTP'
      return kind === undefined || onlyProbes ? [] : [[`${name} ${kind}`, Number(port)]]
    })
  })
}

/** What comes back until the other side closes. */
function heard(socket: NodeJS.ReadWriteStream, said: string): Promise<string> {
  return new Promise((resolve) => {
    let received = ''
    socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')))
    socket.on('error', () => undefined)
    socket.once('close', () => resolve(received))
    socket.write(said)
  })
}

const question = 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'

test('a run whose output lies in the artifact service, its logs and a file work from end to end', async () => {
  const large = 'x'.repeat(100_000)
  const tasks = {
    a: { uses: 'noop', with: { output: { large } } },
    b: { uses: 'noop', needs: ['a'], with: { output: '${{ size(tasks.a.output.large) }}' } },
  }
  const run = await client.ended((await client.runTasks(tasks)).id)
  expect(run.status).toBe('succeeded')
  const b = run.tasks.find(({ key }) => key === 'b')
  await waitFor(async () => (await client.call('GET', `/api/v1/jobs/${b?.jobId}/logs`)).text !== '', {
    timeoutMs: 60_000,
  })
  const { id } = await client.want<{ id: string }>(201, 'POST', '/api/v1/artifacts', { body: { name: 'a.txt' } })
  const headers = { 'content-type': 'application/octet-stream' }
  expect((await client.call('PUT', `/api/v1/artifacts/${id}/content`, { raw: 'text', headers })).status).toBe(200)
  expect((await client.call('GET', '/readyz')).body).toMatchObject({
    dependencies: { iam: 'up', scheduler: 'up', metadata: 'up', notification: 'up', artifact: 'up' },
  })
})

test('a worker with a project’s key works through the gateway as before', async () => {
  const { key } = await client.want<{ key: string }>(201, 'POST', '/api/v1/api-keys', {
    body: { name: 'remote', role: 'worker' },
  })
  const worker = await new RemoteWorker(address, key, 'outside').register('mine')
  const { id } = await client.runTasks({ a: { uses: 'mine' } })
  const [lease] = await worker.lease(20_000)
  expect(lease).toBeDefined()
  if (lease) await worker.succeed(lease, 1)
  expect((await client.ended(id)).status).toBe('succeeded')
  worker.vanish()
})

test('no port of a service answers in the clear, or without a certificate', async () => {
  const ports = portsOfServices()
  // Seven services with HTTP, of which iam, workflow, two schedulers and metadata have gRPC too; two workers.
  expect(ports.length).toBeGreaterThanOrEqual(14)
  for (const [name, port] of ports) {
    expect([name, await heard(connect(port, '127.0.0.1'), question)]).toEqual([
      name,
      expect.not.stringContaining('HTTP'),
    ])
    const bare = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    expect([name, await heard(bare, question)]).toEqual([name, expect.not.stringContaining('HTTP')])
  }
})

test('certificates are renewed while everything runs', async () => {
  const tls = join(stackDir(), 'tls')
  for (const holder of ['gateway', 'iam', 'scheduler', 'worker']) {
    issueCertificate(join(tls, 'authority'), join(tls, holder), holder)
  }
  const run = await client.ended((await client.runTasks({ a: { uses: 'noop' } })).id)
  expect(run.status).toBe('succeeded')
})
