import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { authorizationDefinition, schedulerServiceDefinition } from '@millrace/contracts'
import { createGrpcClient, createGrpcServer } from '@millrace/grpc'
import { createHttpServer } from '@millrace/http'
import { generateServiceKeySet, ServiceIdentity, type ServiceName, ServiceTls } from '@millrace/identity'
import { defineRoute } from '@millrace/routes'
import { testIdentityAuthority, testLogger, waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serviceSecrets } from '../../../../infra/tooling/envoy-service-tls.mjs'
import { issueCertificate, makeAuthority } from '../../../../infra/tooling/service-certificates.mjs'
import { type RunningEnvoy, startEnvoy } from './two-gateways.js'

const folder = mkdtempSync(join(tmpdir(), 'millrace-envoy-services-'))
const at = (...parts: string[]) => join(folder, ...parts)
const keys = generateServiceKeySet()
const people = testIdentityAuthority()
const stops: (() => Promise<void>)[] = []
let envoy: RunningEnvoy
let workflow: Started

const tlsOf = (name: ServiceName) =>
  new ServiceTls(name, { cert: at(name, 'tls.crt'), key: at(name, 'tls.key'), ca: at(name, 'ca.crt') })

interface Started {
  port: number
  stop(): Promise<void>
}

async function startHttp(service: ServiceName, port = 0): Promise<Started> {
  const server = createHttpServer({
    service,
    routes: [
      defineRoute({
        ...{ service: 'workflow', operationId: 'any', method: 'GET', path: '/api/v1/runs', access: 'viewer' },
        ...{ summary: 'x', tag: 'x', responses: { 200: { description: 'ok' } } },
      }),
    ],
    handlers: { any: async () => ({ status: 200, body: { by: service } }) },
    verifier: people.verifier,
    logger: testLogger,
    readiness: () => Promise.resolve({ ok: true, dependencies: {} }),
    tls: tlsOf(service),
  })
  const bound = await server.start('127.0.0.1', port)
  stops.push(() => server.stop())
  return { port: bound, stop: () => server.stop() }
}

const local = ({ port }: Started) => `127.0.0.1:${port}`

const identityHeader = () => people.identityHeader({ role: 'owner' })

async function startAuthz(): Promise<string> {
  const option = () => ({ header: { key: 'x-millrace-identity', value: identityHeader() } })
  const server = createGrpcServer({
    service: 'iam',
    logger: testLogger,
    auth: { kind: 'internal', identity: ServiceIdentity.fromKeySet('iam', keys, tlsOf('iam')) },
    services: [
      {
        definition: authorizationDefinition,
        handlers: { check: async () => ({ status: { code: 0 }, okResponse: { headers: [option()] } }) },
        open: true,
      },
    ],
  })
  stops.push(() => server.stop(0))
  return `127.0.0.1:${await server.start('127.0.0.1', 0)}`
}

async function startScheduler(): Promise<string> {
  const unexpected = async (): Promise<never> => {
    throw new Error('not expected')
  }
  const server = createGrpcServer({
    service: 'scheduler',
    logger: testLogger,
    auth: {
      kind: 'public',
      identity: ServiceIdentity.fromKeySet('scheduler', keys, tlsOf('scheduler')),
      validate: () => Promise.resolve(people.identity()),
    },
    services: [
      {
        definition: schedulerServiceDefinition,
        handlers: {
          ...{ getRun: async () => ({}), getTask: unexpected, listTasks: unexpected, explainRun: unexpected },
          watchRun: async function* () {},
        },
      },
    ],
  })
  stops.push(() => server.stop(0))
  return `127.0.0.1:${await server.start('127.0.0.1', 0)}`
}

beforeAll(async () => {
  makeAuthority(at('authority'))
  for (const holder of ['gateway', 'iam', 'workflow', 'scheduler']) {
    issueCertificate(at('authority'), at(holder), holder)
  }
  const { certificate, authority } = serviceSecrets(at('gateway'))
  const files = { certificateFile: at('certificate.json'), authorityFile: at('authority.json') }
  writeFileSync(files.certificateFile, JSON.stringify(certificate))
  writeFileSync(files.authorityFile, JSON.stringify(authority))
  workflow = await startHttp('workflow')
  const clusters = {
    iam: local(await startHttp('iam')),
    workflow: local(workflow),
    // With the certificate of another service.
    metadata: local(workflow),
    'iam-grpc': await startAuthz(),
    'scheduler-grpc': await startScheduler(),
    ...{ notification: '127.0.0.1:1', artifact: '127.0.0.1:1', 'metadata-grpc': '127.0.0.1:1' },
  }
  envoy = await startEnvoy(clusters, {}, files)
}, 120_000)

afterAll(async () => {
  await envoy?.stop()
  await Promise.all(stops.map((stop) => stop()))
  rmSync(folder, { recursive: true, force: true })
})

const runs = async () => {
  const answer = await fetch(`http://127.0.0.1:${envoy.http}/api/v1/runs`, { headers: { authorization: 'Bearer x' } })
  return { status: answer.status, text: await answer.text() }
}

test('Envoy asks iam and calls a service by its certificate, and the service believes what it brings', async () => {
  expect(await runs()).toEqual({ status: 200, text: '{"by":"workflow"}' })
})

test('gRPC through Envoy reaches the service', async () => {
  const client = createGrpcClient(schedulerServiceDefinition, `127.0.0.1:${envoy.grpc}`, { bearer: 'x' })
  await expect(client.getRun({ runId: 'r' })).resolves.toBeDefined()
  client.close()
})

test('Envoy sends nothing to a service that has another one’s certificate', async () => {
  const answer = await fetch(`http://127.0.0.1:${envoy.http}/api/v1/jobs`, { headers: { authorization: 'Bearer x' } })
  expect(answer.status).toBe(503)
})

test('a new authority and new certificates are taken up by Envoy and services alike', { timeout: 90_000 }, async () => {
  makeAuthority(at('next-authority'), 'The next one')
  for (const holder of ['gateway', 'iam', 'workflow', 'scheduler']) {
    issueCertificate(at('next-authority'), at(holder), holder)
  }
  // A service that starts now knows the next authority alone, and has no connection from before.
  await workflow.stop()
  await startHttp('workflow', workflow.port)
  await waitFor(() => runs().then(({ status }) => status === 200), { timeoutMs: 60_000 })
})
