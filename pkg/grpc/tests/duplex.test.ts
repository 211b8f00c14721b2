import { dispatchDefinition, type scheduler } from '@millrace/contracts'
import { type AppError, unauthenticated } from '@millrace/errors'
import type { ServiceIdentity } from '@millrace/identity'
import { testService, waitFor } from '@millrace/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { createGrpcClient, createGrpcServer, type HandlersOf, type ServerAuth } from '../src/index.js'
import { logger } from './support.js'

type Work = HandlersOf<typeof dispatchDefinition>['work']

const unexpected = async (): Promise<never> => {
  throw new Error('not expected')
}

async function startDispatch(work: Work, auth?: ServerAuth) {
  const server = createGrpcServer({
    service: 'test',
    logger,
    auth: auth ?? { kind: 'internal', identity: testService('scheduler') },
    services: [
      {
        definition: dispatchDefinition,
        handlers: {
          ...{ register: unexpected, leaseTasks: unexpected, heartbeat: unexpected, reportResults: unexpected },
          ...{ deregister: unexpected, commands: async function* () {}, work },
        },
      },
    ],
  })
  const port = await server.start('127.0.0.1', 0)
  const client = createGrpcClient(dispatchDefinition, `127.0.0.1:${port}`, {
    serviceToken: () => testService('worker').tokenFor('scheduler'),
  })
  onTestFinished(async () => {
    client.close()
    await server.stop(100)
  })
  return { server, client }
}

function open(client: Awaited<ReturnType<typeof startDispatch>>['client']) {
  const seen = { answers: [] as number[], end: undefined as { error: AppError | undefined } | undefined }
  const stream = client.work({
    onMessage: ({ id }) => seen.answers.push(id),
    onEnd: (error) => {
      seen.end = { error }
    },
  })
  return { seen, stream }
}

/** Messages are answered when the test says so. */
function gated() {
  const waiting = new Map<number, () => void>()
  const work: Work = () => (request) =>
    new Promise<scheduler.WorkResponse>((resolve) => waiting.set(request.id, () => resolve({ id: request.id })))
  const answer = (...ids: number[]) => {
    for (const id of ids) waiting.get(id)?.()
  }
  return { work, waiting, answer }
}

test('messages are handled side by side and answered as they are done; an end waits for the last answer', async () => {
  const { work, waiting, answer } = gated()
  const { client } = await startDispatch(work)
  const { seen, stream } = open(client)
  for (const id of [1, 2, 3]) stream.write({ id })
  await waitFor(() => waiting.size === 3)
  answer(2)
  await waitFor(() => seen.answers.length === 1)
  stream.end()
  answer(3, 1)
  await waitFor(() => seen.end !== undefined)
  expect([seen.answers, seen.end?.error]).toEqual([[2, 3, 1], undefined])
})

test('of one stream a bounded number of messages is under way, and the rest is not lost', async () => {
  const { work, waiting, answer } = gated()
  const { client } = await startDispatch(work)
  const { seen, stream } = open(client)
  for (let id = 1; id <= 200; id += 1) stream.write({ id })
  await waitFor(() => waiting.size >= 32)
  // Whoever is paused may have had a little more in hand.
  expect(waiting.size).toBeLessThan(100)
  await waitFor(() => {
    answer(...waiting.keys())
    return seen.answers.length === 200
  })
})

test('a server that stops reads no more, answers what is under way and ends the stream', async () => {
  const { work, waiting, answer } = gated()
  const { client, server } = await startDispatch(work)
  const { seen, stream } = open(client)
  stream.write({ id: 1 })
  await waitFor(() => waiting.size === 1)
  const stopped = server.stop(20_000)
  answer(1)
  await waitFor(() => seen.end !== undefined)
  expect([seen.answers, seen.end?.error?.reason]).toEqual([[1], 'shutting_down'])
  await stopped
})

test('a service whose token is no longer good loses its stream within seconds', async () => {
  let good = true
  const verify = () => {
    if (!good) throw unauthenticated('invalid_token', 'The token expired.')
    return 'worker'
  }
  const { work } = gated()
  const { client } = await startDispatch(work, { kind: 'internal', identity: { verify } as unknown as ServiceIdentity })
  const { seen, stream } = open(client)
  stream.write({ id: 1 })
  good = false
  await waitFor(() => seen.end !== undefined, { timeoutMs: 20_000 })
  expect(seen.end?.error).toMatchObject({ code: 'unauthenticated', reason: 'invalid_token' })
})

test('nobody without a token gets one', async () => {
  const { work, waiting } = gated()
  const verify = () => {
    throw unauthenticated('invalid_token', 'No.')
  }
  const { client } = await startDispatch(work, { kind: 'internal', identity: { verify } as unknown as ServiceIdentity })
  const { seen, stream } = open(client)
  stream.write({ id: 1 })
  await waitFor(() => seen.end !== undefined)
  expect([seen.end?.error?.code, waiting.size]).toEqual(['unauthenticated', 0])
})
