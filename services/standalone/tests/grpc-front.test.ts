import { status } from '@grpc/grpc-js'
import { logServiceDefinition, schedulerServiceDefinition } from '@millrace/contracts'
import { createGrpcClient, createGrpcServer } from '@millrace/grpc'
import { signServiceToken } from '@millrace/identity'
import { freePort, testLogger } from '@millrace/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGrpcFront, type GrpcFront } from '../src/grpc-front/grpc-front.js'

const serviceSecret = 'a-secret-between-services-of-a-test'
const serviceToken = () => signServiceToken(serviceSecret, 'worker')
const logger = testLogger
let stops: (() => Promise<void>)[] = []

type Client = ReturnType<typeof createGrpcClient<typeof logServiceDefinition>>

async function startMetadata(port = 0): Promise<number> {
  const server = createGrpcServer({
    service: 'metadata',
    logger,
    auth: { kind: 'internal', serviceSecret },
    services: [
      {
        definition: logServiceDefinition,
        handlers: { append: async (request: { lines: unknown[] }) => ({ accepted: request.lines.length }) },
      },
    ],
  })
  const bound = await server.start('127.0.0.1', port)
  stops.push(() => server.stop(100))
  return bound
}

async function startFront(metadataPort: number): Promise<{ front: GrpcFront; port: number; client: Client }> {
  const front = createGrpcFront({ scheduler: `127.0.0.1:${await freePort()}`, metadata: `127.0.0.1:${metadataPort}` })
  const port = await front.start('127.0.0.1', 0)
  const client = createGrpcClient(logServiceDefinition, `127.0.0.1:${port}`, { serviceToken, logger })
  stops.unshift(async () => {
    client.close()
    await front.stop(100)
  })
  return { front, port, client }
}

beforeEach(() => {
  stops = []
})

afterEach(async () => {
  for (const stop of stops) await stop()
})

const line = (message: string) => ({ runId: 'r', taskKey: 't', message }) as never

test('a call reaches the service that owns it, with its identity and a large body', async () => {
  const { client } = await startFront(await startMetadata())
  const lines = Array.from({ length: 40 }, () => line('x'.repeat(100_000)))
  expect((await client.append({ lines })).accepted).toBe(40)
})

test('a refusal of the service comes back as it was given', async () => {
  const { port } = await startFront(await startMetadata())
  const stranger = createGrpcClient(logServiceDefinition, `127.0.0.1:${port}`, { bearer: 'wrong', logger })
  await expect(stranger.append({ lines: [] })).rejects.toMatchObject({ code: 'unauthenticated' })
  stranger.close()
})

test('a service that is down is unavailable, and is reached again once it is back', async () => {
  const port = await freePort()
  const { client } = await startFront(port)
  await expect(client.append({ lines: [] })).rejects.toMatchObject({ code: 'unavailable' })
  await startMetadata(port)
  expect((await client.append({ lines: [line('a')] })).accepted).toBe(1)
})

test('internal services are not there', async () => {
  const { port } = await startFront(await startMetadata())
  const definition = {
    ...schedulerServiceDefinition,
    definition: Object.fromEntries(
      Object.entries(schedulerServiceDefinition.definition).map(([name, method]) => [
        name,
        { ...method, path: method.path.replace('SchedulerService', 'SchedulerInternalService') },
      ]),
    ),
  } as typeof schedulerServiceDefinition
  const client = createGrpcClient(definition, `127.0.0.1:${port}`, { serviceToken, logger })
  await expect(client.getRun({ runId: 'x' } as never)).rejects.toMatchObject({ cause: { code: status.UNIMPLEMENTED } })
  client.close()
})
