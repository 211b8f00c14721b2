import { connect } from 'node:http2'
import { Client, credentials, Metadata, status } from '@grpc/grpc-js'
import { waitFor } from '@millrace/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { identity, startScheduler } from './support.js'

const limits = { perAddress: 20, inTotal: 30, maxAgeMs: 60_000, requestMs: 60_000 }
const auth = { kind: 'public', validate: async () => identity } as const
const reflection = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo'

async function start(strangers = limits) {
  const { address } = await startScheduler({}, auth, 5000, { strangers })
  const client = new Client(address, credentials.createInsecure())
  onTestFinished(() => client.close())
  return { address, client }
}

/** A stream of reflection that asks nothing. */
function openStream(client: Client, from?: string) {
  const metadata = new Metadata()
  if (from !== undefined) metadata.set('x-forwarded-for', from)
  const raw = (value: Buffer) => value
  const stream = client.makeBidiStreamRequest(reflection, raw, raw, metadata)
  const seen: { code: status | undefined } = { code: undefined }
  stream.on('status', ({ code }: { code: status }) => {
    seen.code = code
  })
  stream.on('error', () => undefined)
  return { stream, seen }
}

const refused = (streams: ReturnType<typeof openStream>[]) =>
  streams.filter(({ seen }) => seen.code === status.RESOURCE_EXHAUSTED).length

test('of 1,500 streams without a credential a few stay open, and those of others are not kept out by them', async () => {
  const { client } = await start()
  const streams = Array.from({ length: 1_500 }, () => openStream(client, '192.0.2.1'))
  await waitFor(() => refused(streams) === 1_480, { timeoutMs: 20_000 })
  const others = Array.from({ length: 15 }, () => openStream(client, '192.0.2.2'))
  await waitFor(() => refused(others) === 5)
  for (const { stream } of streams) stream.cancel()
  await waitFor(() => streams.every(({ seen }) => seen.code !== undefined))
  const later = Array.from({ length: 20 }, () => openStream(client, '192.0.2.1'))
  const ask = Array.from({ length: 1 }, () => openStream(client, '192.0.2.1'))
  await waitFor(() => refused(ask) === 1)
  expect(refused(later)).toBe(0)
})

test('a stream without a credential ends when it is old', async () => {
  const { client } = await start({ ...limits, maxAgeMs: 200 })
  const { seen } = openStream(client)
  await waitFor(() => seen.code === status.UNAVAILABLE)
})

test.each([
  ['without a token is refused at once', {}, '16'],
  ['with a token must send its request soon', { authorization: 'Bearer x' }, '4'],
])('a call %s, whether its request comes or not', async (_what, headers, code) => {
  const { address } = await start({ ...limits, requestMs: 300 })
  const session = connect(`http://${address}`)
  onTestFinished(() => session.destroy())
  const path = '/millrace.scheduler.v1.SchedulerService/GetRun'
  const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', ...headers })
  const ended = new Promise<string>((resolve) => {
    stream.on('response', (answer) => answer['grpc-status'] && resolve(String(answer['grpc-status'])))
    stream.on('trailers', (trailers) => resolve(String(trailers['grpc-status'])))
  })
  stream.on('data', () => undefined)
  expect(await ended).toBe(code)
})
