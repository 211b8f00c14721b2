import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { dispatchDefinition, schedulerServiceDefinition } from '@millrace/contracts'
import { type AppError, quotaExceeded } from '@millrace/errors'
import { testService, waitFor } from '@millrace/testkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createGrpcClient, createGrpcServer, type HandlersOf } from '../src/index.js'
import { identity, logger, startScheduler } from './support.js'

async function* untilAborted(signal: AbortSignal) {
  yield { run: { id: 'first' } }
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
}

const forever = { watchRun: (_request: unknown, ctx: { signal: AbortSignal }) => untilAborted(ctx.signal) }

/** iam, for a project that may have `most` streams. */
function quota(most: number) {
  const open: string[] = []
  return {
    open,
    async openStream(projectId: string) {
      if (open.length >= most) throw quotaExceeded('streams', 'enough', 5)
      open.push(projectId)
      return () => void open.splice(open.indexOf(projectId), 1)
    },
  }
}

const auth = (openStream: (projectId: string) => Promise<() => void>) =>
  ({ kind: 'public', validate: async () => identity, identity: testService('scheduler'), openStream }) as const

describe('a stream of a project', () => {
  test('counts while it is open, and the one too many is told when to ask again', async () => {
    const { open, openStream } = quota(2)
    const { client, address } = await startScheduler(forever, auth(openStream))
    const [first, second] = [client.watchRun({}), client.watchRun({})].map((s) => s[Symbol.asyncIterator]())
    await Promise.all([first?.next(), second?.next()])
    expect(open).toEqual(['p1', 'p1'])
    await expect(client.watchRun({})[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      ...{ code: 'rate_limited', reason: 'quota_exceeded', retryAfterSeconds: 5 },
      fieldErrors: [{ code: 'streams' }],
    })
    expect(await rawStatus(address)).toBe(status.RESOURCE_EXHAUSTED)
    await first?.return?.()
    await waitFor(() => open.length === 1)
    await client.watchRun({})[Symbol.asyncIterator]().next()
    expect(open).toHaveLength(2)
  })

  test('counts no more once it ended by itself or failed', async () => {
    const { open, openStream } = quota(1)
    let fail = false
    const watchRun = async function* () {
      yield { run: { id: 'only' } }
      if (fail) throw new Error('broken')
    }
    const { client } = await startScheduler({ watchRun }, auth(openStream))
    for await (const _ of client.watchRun({}));
    fail = true
    const failed = client.watchRun({})[Symbol.asyncIterator]()
    await failed.next()
    await expect(failed.next()).rejects.toMatchObject({ code: 'internal' })
    expect(open).toEqual([])
  })

  test('whose caller left before it was counted is not left open', async () => {
    const { open, openStream } = quota(1)
    const asked = signal()
    const answer = signal()
    const counted = signal()
    const slow = async (projectId: string) => {
      asked.resolve()
      await answer.promise
      counted.resolve()
      return openStream(projectId)
    }
    const { address } = await startScheduler(forever, auth(slow))
    const client = createGrpcClient(schedulerServiceDefinition, address, { bearer: 'good' })
    const channel = new Client(address, credentials.createInsecure())
    onTestFinished(() => {
      channel.close()
      client.close()
    })
    const stream = watch(channel)
    stream.on('error', () => undefined)
    await asked.promise
    stream.cancel()
    // The server has heard of it when it answers what came after it.
    await expect(client.getRun({})).rejects.toBeDefined()
    answer.resolve()
    await counted.promise
    await waitFor(() => open.length === 0)
  })

  test('ends when it is as old as one may be, and can be opened again', async () => {
    const { open, openStream } = quota(1)
    const { client } = await startScheduler(forever, auth(openStream), 5000, { maxAgeMs: 100 })
    for (const _ of [1, 2]) {
      const stream = client.watchRun({})[Symbol.asyncIterator]()
      await stream.next()
      await expect(stream.next()).rejects.toMatchObject({ code: 'unavailable', reason: 'stream_too_old' })
      expect(open).toEqual([])
    }
  })
})

describe('streams of workers', () => {
  test('have a bound of their own, and do not count as streams of the project', async () => {
    const { open, openStream } = quota(0)
    const client = await startDispatch(openStream, 2)
    const ends: (AppError | undefined)[] = []
    const openWork = () => client.work({ onMessage: () => undefined, onEnd: (error) => ends.push(error) })
    const first = openWork()
    first.write({ id: 1 })
    await client.commands({})[Symbol.asyncIterator]().next()
    const tooMany = openWork()
    tooMany.write({ id: 1 })
    await waitFor(() => ends.length === 1)
    expect(ends[0]).toMatchObject({ code: 'rate_limited', reason: 'too_many_streams', retryAfterSeconds: 5 })
    first.end()
    await waitFor(() => ends.length === 2)
    await client.commands({})[Symbol.asyncIterator]().next()
    expect(open).toEqual([])
  })
})

function signal() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

const pass = (value: Buffer): Buffer => value

function watch(channel: Client) {
  const metadata = new Metadata()
  metadata.set('authorization', 'Bearer good')
  const path = '/millrace.scheduler.v1.SchedulerService/WatchRun'
  return channel.makeServerStreamRequest(path, pass, pass, Buffer.alloc(0), metadata)
}

/** As a client that knows nothing of Millrace's own metadata sees it. */
async function rawStatus(address: string): Promise<number> {
  const channel = new Client(address, credentials.createInsecure())
  onTestFinished(() => channel.close())
  return new Promise((resolve) => watch(channel).on('error', ({ code }: ServiceError) => resolve(code)))
}

type Dispatch = HandlersOf<typeof dispatchDefinition>

const work: Dispatch['work'] = () => async (request) => ({ id: request.id })

const commands: Dispatch['commands'] = async function* (_request, call) {
  yield { pause: true }
  await new Promise((resolve) => call.signal.addEventListener('abort', resolve))
}

async function startDispatch(openStream: (projectId: string) => Promise<() => void>, workerStreams: number) {
  const unexpected = async (): Promise<never> => {
    throw new Error('not expected')
  }
  const server = createGrpcServer({
    ...{ service: 'test', logger, auth: auth(openStream), workerStreams },
    services: [
      {
        definition: dispatchDefinition,
        ofWorkers: true,
        handlers: {
          ...{ register: unexpected, leaseTasks: unexpected, heartbeat: unexpected, reportResults: unexpected },
          ...{ deregister: unexpected, work, commands },
        },
      },
    ],
  })
  const port = await server.start('127.0.0.1', 0)
  const client = createGrpcClient(dispatchDefinition, `127.0.0.1:${port}`, { bearer: 'good' })
  onTestFinished(async () => {
    client.close()
    await server.stop(100)
  })
  return client
}
