import { createServer } from 'node:net'
import { credentials, makeGenericClientConstructor } from '@grpc/grpc-js'
import { workflowServiceDefinition } from '@millrace/contracts'
import { AppError, conflict, unprocessable } from '@millrace/errors'
import { generateServiceKeySet, ServiceIdentity } from '@millrace/identity'
import { currentTraceparent, metricsText, startTelemetry, withSpan } from '@millrace/telemetry'
import { testService } from '@millrace/testkit'
import { service as healthService } from 'grpc-health-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createGrpcClient } from '../src/index.js'
import { startWorkflow } from './support.js'

const failure = async (promise: Promise<unknown>): Promise<AppError> => {
  try {
    await promise
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('it did not fail')
}

describe('a unary call', () => {
  test('reaches its handler with the calling service and comes back', async () => {
    const { client } = await startWorkflow({
      getVersion: async (request, ctx) => ({ workflow: `${request.versionId}/${ctx.service}` }),
    })
    expect(await client.getVersion({ versionId: 'w' })).toMatchObject({ workflow: 'w/scheduler' })
  })

  test('goes to the replicas in turn, and past one that is gone', async () => {
    const replica = (name: string) => startWorkflow({ getVersion: async () => ({ workflow: name }) })
    const [a, b] = [await replica('a'), await replica('b')]
    const client = createGrpcClient(workflowServiceDefinition, `${a.address},${b.address}`, {
      serviceToken: () => testService('scheduler').tokenFor('workflow'),
    })
    onTestFinished(() => client.close())
    const ask = async () => (await client.getVersion({ versionId: 'w' })).workflow
    await expect.poll(async () => new Set([await ask(), await ask(), await ask(), await ask()]).size).toBe(2)
    await a.server.stop(0)
    await expect.poll(async () => [await ask().catch(() => ''), await ask().catch(() => '')]).toEqual(['b', 'b'])
  })

  test('carries an AppError whole', async () => {
    const fieldErrors = [{ path: '/input', code: 'type', message: 'must be object' }]
    const { client } = await startWorkflow({
      createRun: async () => {
        throw unprocessable('invalid_input', 'The input breaks its schema.', fieldErrors)
      },
      getVersion: async () => {
        throw conflict('workflow_exists', 'It exists.')
      },
    })
    expect(await failure(client.createRun({}))).toMatchObject({
      code: 'unprocessable',
      reason: 'invalid_input',
      message: 'The input breaks its schema.',
      fieldErrors,
    })
    expect(await failure(client.getVersion({}))).toMatchObject({ code: 'conflict', reason: 'workflow_exists' })
  })

  test('hides the text of a foreign error', async () => {
    const { client } = await startWorkflow({
      getVersion: async () => {
        throw new Error('relation "users" does not exist')
      },
    })
    const error = await failure(client.getVersion({}))
    expect(error).toMatchObject({ code: 'internal', reason: 'internal', retryable: false })
    expect(error.message).not.toContain('users')
  })

  test.each([
    ['a connection that was refused', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
    ['a connection that broke', new Error('Connection terminated unexpectedly')],
    ['a server that starts up', Object.assign(new Error('the database system is starting up'), { code: '57P03' })],
    [
      'such an error as a cause',
      new Error('could not read', { cause: Object.assign(new Error(''), { code: '57P01' }) }),
    ],
  ])('that failed for a database that is away is an outage, to be waited out: %s', async (_what, thrown) => {
    const { client } = await startWorkflow({
      getVersion: async () => {
        throw thrown
      },
    })
    const error = await failure(client.getVersion({}))
    expect(error).toMatchObject({ code: 'unavailable', reason: 'database_unavailable', retryable: true })
  })

  test('that throws before its first await fails alike', async () => {
    const { client } = await startWorkflow({
      getVersion: () => {
        throw conflict('sync', 'Thrown at once.')
      },
    })
    expect(await failure(client.getVersion({}))).toMatchObject({ reason: 'sync' })
  })

  test('past its deadline fails and aborts the handler', async () => {
    let aborted: Promise<unknown> | undefined
    const { client } = await startWorkflow({
      getVersion: (_request, ctx) => {
        expect(ctx.deadline).toBeLessThan(Date.now() + 200)
        aborted = new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
        return new Promise(() => {})
      },
    })
    const error = await failure(client.getVersion({}, { timeoutMs: 60 }))
    expect(error).toMatchObject({ code: 'deadline_exceeded', retryable: true })
    await aborted
  })

  test('cancelled by its caller fails and aborts the handler', async () => {
    const controller = new AbortController()
    let aborted: Promise<unknown> | undefined
    const { client } = await startWorkflow({
      getVersion: (_request, ctx) => {
        aborted = new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
        controller.abort()
        return new Promise(() => {})
      },
    })
    expect(await failure(client.getVersion({}, { signal: controller.signal }))).toMatchObject({ code: 'cancelled' })
    await aborted
    expect(await failure(client.getVersion({}, { signal: AbortSignal.abort() }))).toMatchObject({ code: 'cancelled' })
  })

  test('to a port where nobody listens is unavailable', async () => {
    const client = createGrpcClient(workflowServiceDefinition, '127.0.0.1:1')
    onTestFinished(() => client.close())
    expect(await failure(client.getVersion({}))).toMatchObject({ code: 'unavailable', retryable: true })
  })

  test('over the message limit is refused, and the server lives on', async () => {
    const { client } = await startWorkflow({ createRun: async () => ({}), getVersion: async () => ({}) })
    const big = await failure(client.createRun({ inputJson: 'x'.repeat(9 * 1024 * 1024) }))
    expect(big.code).toBe('too_large')
    expect(await client.getVersion({})).toBeDefined()
    expect(await client.createRun({ inputJson: 'x'.repeat(8 * 1024 * 1024) })).toBeDefined()
  })

  test('continues the trace of its caller', async () => {
    startTelemetry({ serviceName: 'test' })
    const { client } = await startWorkflow({
      getVersion: async () => ({ workflow: currentTraceparent() ?? 'none' }),
    })
    await withSpan('outer', {}, async () => {
      const traceId = currentTraceparent()?.split('-')[1]
      const inner = (await client.getVersion({})).workflow
      expect(inner.split('-')[1]).toBe(traceId)
      expect(inner).not.toBe(currentTraceparent())
    })
    expect(await metricsText()).toContain('millrace_grpc_server_seconds_count{service="test"')
  })
})

const stranger = ServiceIdentity.fromKeySet('scheduler', generateServiceKeySet())

describe('an internal listener', () => {
  test('lets in the services that may call a method, and no others', async () => {
    const { address, client } = await startWorkflow({ createRun: async () => ({ runId: 'r' }) })
    expect(await client.createRun({})).toMatchObject({ runId: 'r' })
    const worker = createGrpcClient(workflowServiceDefinition, address, {
      serviceToken: () => testService('worker').tokenFor('workflow'),
    })
    onTestFinished(() => worker.close())
    const refusal = { code: 'permission_denied', reason: 'forbidden_service' }
    expect(await failure(worker.createRun({}))).toMatchObject(refusal)
  })

  test.each([
    ['no credential', undefined],
    ['a word', 'hello'],
    ['a token of another key', stranger.tokenFor('workflow')],
    ['a token for another service', testService('scheduler').tokenFor('iam')],
    ['an unsigned token', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJzZXJ2aWNlOngiLCJhdWQiOiJtaWxscmFjZS1zZXJ2aWNlIn0.'],
  ])('refuses %s', async (_name, bearer) => {
    const { address } = await startWorkflow({ getVersion: async () => ({}) })
    const client = createGrpcClient(workflowServiceDefinition, address, bearer === undefined ? {} : { bearer })
    onTestFinished(() => client.close())
    expect(await failure(client.getVersion({}))).toMatchObject({ code: 'unauthenticated' })
  })

  test('refuses a port that is taken and says which', async () => {
    const blocker = createServer()
    const port = await new Promise<number>((resolve) => {
      blocker.listen(0, '127.0.0.1', () => resolve((blocker.address() as { port: number }).port))
    })
    onTestFinished(() => void blocker.close())
    const { server } = await startWorkflow({})
    await expect(server.start('127.0.0.1', port)).rejects.toThrow(`127.0.0.1:${port}`)
  })

  test('answers health checks without a credential', async () => {
    const { address } = await startWorkflow({})
    const Health = makeGenericClientConstructor(healthService as never, 'Health')
    const client = new Health(address, credentials.createInsecure())
    onTestFinished(() => client.close())
    const answer = await new Promise((resolve, reject) => {
      const check = client.check as (r: object, cb: (e: unknown, v: unknown) => void) => void
      check.call(client, { service: 'millrace.workflow.v1.WorkflowService' }, (error, value) =>
        error ? reject(error) : resolve(value),
      )
    })
    expect(answer).toEqual({ status: 'SERVING' })
  })

  test('while stopping lets a call in flight finish', async () => {
    let arrived: () => void = () => {}
    const begun = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const { server, client } = await startWorkflow({
      getVersion: async (_request, ctx) => {
        arrived()
        await new Promise((resolve) => ctx.draining.addEventListener('abort', resolve))
        return { workflow: 'finished' }
      },
    })
    const answer = client.getVersion({})
    await begun
    await server.stop(2000)
    expect(await answer).toMatchObject({ workflow: 'finished' })
  })

  test('cuts a call that outlives the grace', async () => {
    const { server, client } = await startWorkflow({ getVersion: () => new Promise(() => {}) })
    const answer = failure(client.getVersion({}))
    await client.createRun({}).catch(() => undefined)
    await server.stop(50)
    expect((await answer).code).toMatch(/unavailable|cancelled/)
  })
})

test('a client finds its server again after a restart', async () => {
  const { server, client, port } = await startWorkflow({ getVersion: async () => ({ workflow: 'a' }) })
  await client.getVersion({})
  await server.stop(100)
  expect((await failure(client.getVersion({}))).retryable).toBe(true)
  const { createGrpcServer } = await import('../src/index.js')
  const { logger } = await import('./support.js')
  const again = createGrpcServer({
    service: 'test',
    logger,
    auth: { kind: 'internal', identity: testService('workflow') },
    services: [
      {
        definition: workflowServiceDefinition,
        handlers: {
          getVersion: async () => ({ workflow: 'b' }),
          createRun: async () => ({}),
          createRuns: async () => ({}),
        },
      },
    ],
  })
  await again.start('127.0.0.1', port)
  onTestFinished(() => again.stop(100))
  await expect
    .poll(() => client.getVersion({}).catch(() => undefined), { timeout: 5000 })
    .toMatchObject({
      workflow: 'b',
    })
})
