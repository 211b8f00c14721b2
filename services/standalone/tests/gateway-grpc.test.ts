import { connect as connectHttp2, constants } from 'node:http2'
import { dispatchDefinition, logServiceDefinition, schedulerInternalDefinition } from '@millrace/contracts'
import { conflict } from '@millrace/errors'
import { type CallContext, createGrpcClient, createGrpcServer, type GrpcServer } from '@millrace/grpc'
import { testIdentityAuthority, testLogger, waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GatewayHarness, startGateway } from './gateway-harness.js'

let harness: GatewayHarness
let scheduler: GrpcServer
let metadata: GrpcServer
let address: string
const authority = testIdentityAuthority()
const seen: CallContext[] = []
let streaming: 'idle' | 'open' | 'cancelled' = 'idle'
let produced = 0

const auth = { kind: 'public', validate: () => Promise.resolve(authority.identity()) } as const

function dispatchHandlers() {
  return {
    register: (_request: unknown, ctx: CallContext) => {
      seen.push(ctx)
      return Promise.resolve({ sessionId: 's', sessionSecret: 'x', workerId: 'w', leaseMs: 1, heartbeatMs: 1 })
    },
    leaseTasks: () => Promise.reject(conflict('some_reason', 'As it happens.')),
    heartbeat: () => Promise.resolve({}),
    commands: async function* (_request: unknown, ctx: CallContext) {
      streaming = 'open'
      try {
        for (produced = 0; produced < 100_000 && !ctx.signal.aborted; ) {
          yield { taskId: `task-${produced++}-${'x'.repeat(1000)}` }
          if (produced % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
        }
      } finally {
        streaming = 'cancelled'
      }
    },
    reportResults: () => Promise.resolve({}),
    work: () => (message: unknown) => Promise.resolve(message),
    deregister: () => Promise.resolve({}),
  }
}

beforeAll(async () => {
  scheduler = createGrpcServer({
    service: 'scheduler',
    logger: testLogger,
    auth,
    services: [{ definition: dispatchDefinition, handlers: dispatchHandlers() as never }],
  })
  metadata = createGrpcServer({
    service: 'metadata',
    logger: testLogger,
    auth,
    services: [
      {
        definition: logServiceDefinition,
        handlers: { append: ({ lines }: { lines: unknown[] }) => Promise.resolve({ accepted: lines.length }) },
      },
    ],
  })
  harness = await startGateway({
    'scheduler-grpc': `127.0.0.1:${await scheduler.start('127.0.0.1', 0)}`,
    'metadata-grpc': `127.0.0.1:${await metadata.start('127.0.0.1', 0)}`,
  })
  address = `127.0.0.1:${harness.gateway.grpcPort}`
})
afterAll(async () => {
  await harness.stop()
  await scheduler.stop(0)
  await metadata.stop(0)
})

describe('the public gRPC port', () => {
  it('passes unary calls with their metadata to the right service', async () => {
    const client = createGrpcClient(dispatchDefinition, address, { bearer: 'token', project: 'mine' })
    expect(await client.register({})).toMatchObject({ sessionId: 's' })
    expect(seen.at(-1)?.metadata.get('x-millrace-project')).toEqual(['mine'])
    expect(seen.at(-1)?.metadata.get('x-forwarded-for')).toEqual(['127.0.0.1'])
    const logs = createGrpcClient(logServiceDefinition, address, { bearer: 'token' })
    const lines = Array.from({ length: 500 }, () => ({ message: 'x'.repeat(5000) }))
    expect(await logs.append({ lines })).toEqual({ accepted: 500 })
    client.close()
    logs.close()
  })

  it('passes errors with their trailers', async () => {
    const client = createGrpcClient(dispatchDefinition, address, { bearer: 'token' })
    await expect(client.leaseTasks({})).rejects.toMatchObject({ code: 'conflict', reason: 'some_reason' })
    client.close()
  })

  it('passes a stream as it comes, and the reader’s leaving with it', async () => {
    const client = createGrpcClient(dispatchDefinition, address, { bearer: 'token' })
    let read = 0
    for await (const _message of client.commands({})) {
      read++
      if (read === 2000) break
    }
    expect(read).toBe(2000)
    await waitFor(() => streaming === 'cancelled')
    expect(produced).toBeLessThan(100_000)
    client.close()
  })

  it('carries many calls at once', async () => {
    const client = createGrpcClient(dispatchDefinition, address, { bearer: 'token' })
    const answers = await Promise.all(Array.from({ length: 500 }, () => client.register({})))
    expect(answers.length).toBe(500)
    client.close()
  })

  it('leads nowhere but to the public services', async () => {
    const client = createGrpcClient(schedulerInternalDefinition, address, { bearer: 'token' })
    const before = seen.length
    await expect(client.cancelRun({})).rejects.toThrow()
    expect(seen.length).toBe(before)
    expect(await rawStatus('/millrace.scheduler.v1.SchedulerInternalService/CancelRun')).toBe('12')
    expect(await rawStatus('/millrace.iam.v1.IamService/ValidateToken')).toBe('12')
    expect(await rawStatus('/')).toBe('12')
    client.close()
  })

  it('strips an identity from outside', async () => {
    await rawStatus('/millrace.scheduler.v1.DispatchService/Register', {
      'x-millrace-identity': 'forged',
      authorization: 'Bearer t',
    })
    expect(seen.at(-1)?.metadata.get('x-millrace-identity')).toEqual([])
  })

  it('says so when a service is down', async () => {
    const alone = await startGateway({ 'scheduler-grpc': '127.0.0.1:1' })
    const client = createGrpcClient(dispatchDefinition, `127.0.0.1:${alone.gateway.grpcPort}`, { bearer: 'token' })
    await expect(client.register({})).rejects.toMatchObject({ code: 'unavailable' })
    client.close()
    await alone.stop()
  })

  it('finds a service again that was restarted', async () => {
    const first = createGrpcServer({
      service: 'scheduler',
      logger: testLogger,
      auth,
      services: [{ definition: dispatchDefinition, handlers: dispatchHandlers() as never }],
    })
    const port = await first.start('127.0.0.1', 0)
    const alone = await startGateway({ 'scheduler-grpc': `127.0.0.1:${port}` })
    const client = createGrpcClient(dispatchDefinition, `127.0.0.1:${alone.gateway.grpcPort}`, { bearer: 'token' })
    await client.register({})
    await first.stop(0)
    await expect(client.register({})).rejects.toMatchObject({ code: 'unavailable' })
    const second = createGrpcServer({
      service: 'scheduler',
      logger: testLogger,
      auth,
      services: [{ definition: dispatchDefinition, handlers: dispatchHandlers() as never }],
    })
    await second.start('127.0.0.1', port)
    await waitFor(() =>
      client.register({}).then(
        () => true,
        () => false,
      ),
    )
    client.close()
    await alone.stop()
    await second.stop(0)
  })
})

/** A call with headers as given, empty message; resolves to its grpc-status. */
function rawStatus(path: string, headers: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(`http://${address}`)
    session.on('error', reject)
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    })
    let status = ''
    const note = (received: Record<string, unknown>) => {
      if (received['grpc-status'] !== undefined) status = String(received['grpc-status'])
    }
    stream.on('response', note)
    stream.on('trailers', note)
    stream.on('data', () => undefined)
    stream.on('error', reject)
    stream.on('close', () => {
      session.close()
      resolve(status)
    })
    stream.end(Buffer.alloc(5))
  })
}
