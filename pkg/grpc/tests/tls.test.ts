import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { workflowServiceDefinition } from '@millrace/contracts'
import { generateServiceKeySet, ServiceIdentity, type ServiceName, ServiceTls } from '@millrace/identity'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { issueCertificate, makeAuthority } from '../../../infra/tooling/service-certificates.mjs'
import { createGrpcClient, createGrpcServer } from '../src/index.js'
import { logger } from './support.js'

const folder = mkdtempSync(join(tmpdir(), 'millrace-grpc-tls-'))
const at = (...parts: string[]) => join(folder, ...parts)
const keys = generateServiceKeySet()

beforeAll(() => {
  makeAuthority(at('authority'))
  makeAuthority(at('other-authority'), 'Somebody else')
  for (const holder of ['workflow', 'scheduler', 'metadata']) issueCertificate(at('authority'), at(holder), holder)
  issueCertificate(at('other-authority'), at('stranger'), 'scheduler')
  issueCertificate(at('authority'), at('expired'), 'scheduler', -1)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** `ca` is whom the holder believes: a stranger and the server still have to be told apart by the server. */
function identityOf(name: ServiceName, certificate: string = name, ca = 'authority'): ServiceIdentity {
  const files = { cert: at(certificate, 'tls.crt'), key: at(certificate, 'tls.key'), ca: at(ca, 'tls.crt') }
  return ServiceIdentity.fromKeySet(name, keys, new ServiceTls(name, files))
}

async function startWorkflow(identity = identityOf('workflow')) {
  let calls = 0
  let finish: (() => void) | undefined
  const server = createGrpcServer({
    service: 'test',
    logger,
    auth: { kind: 'internal', identity },
    services: [
      {
        definition: workflowServiceDefinition,
        handlers: {
          createRun: async () => {
            calls += 1
            return { runId: 'r' }
          },
          createRuns: () => new Promise<{ outcomes: [] }>((resolve) => (finish = () => resolve({ outcomes: [] }))),
          getVersion: async () => {
            throw new Error('not expected')
          },
        },
      },
    ],
  })
  const port = await server.start('127.0.0.1', 0)
  onTestFinished(() => server.stop(100))
  return { port, calls: () => calls, finish: () => finish?.(), isBusy: () => finish !== undefined }
}

function clientOf(port: number, credentials: object) {
  const client = createGrpcClient(workflowServiceDefinition, `127.0.0.1:${port}`, {
    defaultTimeoutMs: 5000,
    ...credentials,
  })
  onTestFinished(() => client.close())
  return client
}

const run = { projectId: 'p', workflow: 'w', inputJson: '{}', labels: {}, dedupeKey: 'k', requestedBy: 'x' }

describe('a gRPC listener with a certificate', () => {
  test('serves a service with a certificate of the same authority, by one address and by several', async () => {
    const { port, calls } = await startWorkflow()
    const own = identityOf('scheduler').credentialsFor('workflow')
    await expect(clientOf(port, own).createRun(run)).resolves.toMatchObject({ runId: 'r' })
    const several = createGrpcClient(workflowServiceDefinition, `127.0.0.1:${port},127.0.0.1:1`, own)
    onTestFinished(() => several.close())
    await expect(several.createRun(run)).resolves.toMatchObject({ runId: 'r' })
    expect(calls()).toBe(2)
  })

  test.each([
    ['no certificate, in the clear', () => ({ serviceToken: tokenOf('scheduler') })],
    ['a certificate of another authority', () => identityOf('scheduler', 'stranger').credentialsFor('workflow')],
    ['an expired certificate', () => identityOf('scheduler', 'expired').credentialsFor('workflow')],
  ])('lets nobody in with %s', async (_, credentials) => {
    const { port, calls } = await startWorkflow()
    await expect(clientOf(port, credentials()).createRun(run)).rejects.toMatchObject({ code: 'unavailable' })
    expect(calls()).toBe(0)
  })

  test('refuses the token of one service with the certificate of another', async () => {
    const { port, calls } = await startWorkflow()
    const { tls } = identityOf('metadata').credentialsFor('workflow')
    const mixed = clientOf(port, { serviceToken: tokenOf('scheduler'), tls })
    await expect(mixed.createRun(run)).rejects.toMatchObject({ reason: 'invalid_service_token' })
    expect(calls()).toBe(0)
  })

  test('answers nothing to whoever does not speak TLS, or shows no certificate', async () => {
    const { port } = await startWorkflow()
    const plain = await heard(connect(port, '127.0.0.1'))
    // At most an alert of TLS.
    expect(plain.length === 0 || plain[0] === 0x15).toBe(true)
    const servername = 'workflow.millrace.internal'
    const trust = { servername, ca: readFileSync(at('authority', 'tls.crt')), ALPNProtocols: ['h2'] }
    expect(await heard(connectTls({ port, host: '127.0.0.1', ...trust }))).toHaveLength(0)
  })
})

/** What comes back to a client of HTTP/2, whose server speaks first, until the connection is closed. */
function heard(socket: Socket): Promise<Buffer> {
  return new Promise((resolve) => {
    const received: Buffer[] = []
    socket.on('data', (chunk) => {
      received.push(chunk)
      socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.once('close', () => resolve(Buffer.concat(received)))
    socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  })
}

describe('a gRPC client with a certificate', () => {
  test('does not speak to a server that is another service', async () => {
    const { port, calls } = await startWorkflow()
    const wrong = { ...identityOf('scheduler').credentialsFor('iam'), serviceToken: tokenOf('scheduler') }
    await expect(clientOf(port, wrong).createRun(run)).rejects.toMatchObject({ code: 'unavailable' })
    expect(calls()).toBe(0)
  })

  test('does not speak to a server whose certificate comes from another authority', async () => {
    const { port, calls } = await startWorkflow()
    const credentials = identityOf('scheduler', 'scheduler', 'other-authority').credentialsFor('workflow')
    await expect(clientOf(port, credentials).createRun(run)).rejects.toMatchObject({ code: 'unavailable' })
    expect(calls()).toBe(0)
  })
})

test('new files count for new connections, and old connections go on', { timeout: 60_000 }, async () => {
  makeAuthority(at('first'))
  makeAuthority(at('second'))
  const renew = (authority: string) => {
    issueCertificate(at(authority), at('turning'), 'workflow')
    issueCertificate(at(authority), at('turning-scheduler'), 'scheduler')
  }
  renew('first')
  cpSync(at('turning-scheduler'), at('kept'), { recursive: true })
  const files = (name: string) => ({ cert: at(name, 'tls.crt'), key: at(name, 'tls.key'), ca: at(name, 'ca.crt') })
  const turning = (name: ServiceName, from: string) =>
    ServiceIdentity.fromKeySet(name, keys, new ServiceTls(name, files(from)))
  const { port, finish, isBusy } = await startWorkflow(turning('workflow', 'turning'))
  const old = clientOf(port, turning('scheduler', 'turning-scheduler').credentialsFor('workflow'))
  const pending = old.createRuns({ runs: [] }, { timeoutMs: 50_000 })
  await waitFor(isBusy)
  renew('second')
  const fresh = turning('scheduler', 'turning-scheduler').credentialsFor('workflow')
  await waitFor(
    () =>
      clientOf(port, fresh)
        .createRun(run)
        .then(
          () => true,
          () => false,
        ),
    { timeoutMs: 30_000 },
  )
  finish()
  await expect(pending).resolves.toEqual({ outcomes: [] })
  await expect(old.createRun(run)).resolves.toMatchObject({ runId: 'r' })
  // The old certificate opens no new connection.
  const late = clientOf(port, turning('scheduler', 'kept').credentialsFor('workflow'))
  await expect(late.createRun(run)).rejects.toMatchObject({ code: 'unavailable' })
})

const tokenOf = (name: ServiceName) => () => ServiceIdentity.fromKeySet(name, keys).tokenFor('workflow')
