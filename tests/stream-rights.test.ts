import { schedulerServiceDefinition } from '@millrace/contracts'
import { createGrpcClient } from '@millrace/grpc'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Account, Client, newUser } from './support/client.js'
import { addMember } from './support/members.js'
import { type ProcessorTimes, processorTimes, slowdown, spent } from './support/processor-time.js'
import type { ApiKey } from './support/shapes.js'
import { startTarget, type Target } from './support/target.js'

const promisedMs = 5000
/** On a machine that is slower than this by what else it does, the test fails rather than proves nothing. */
const mostSlowdown = 4
/** Longer than any check takes to come round. */
const quietMs = 2500
const watchRun = 'WatchRun'

let target: Target
let owner: Account
let runId: string
let paths: string[]

beforeAll(async () => {
  target = await startTarget()
}, 120_000)

afterAll(() => target?.close())

beforeEach(async () => {
  owner = await newUser(target)
  // It waits, so that nothing but the caller's right can end the stream.
  const run = await owner.client.runTasks({ wait: { uses: 'signal', with: { name: 'go' } } })
  runId = run.id
  paths = [`/api/v1/runs/${runId}/events`, '/api/v1/events', `/api/v1/runs/${runId}/logs?follow=true`]
})

/** Of the deployment where it can be seen, and of this process, which has to notice. */
const times = (): ProcessorTimes => processorTimes([process.pid, ...(target.standalone?.processes() ?? [])])

interface Watched {
  name: string
  /** Undefined while it is open. */
  endedAt(): number | undefined
  ended: Promise<void>
}

function watched(name: string, messages: AsyncIterable<unknown>): Watched {
  let at: number | undefined
  const drained = (async () => {
    for await (const _ of messages);
  })()
  const note = () => {
    at = performance.now()
  }
  return { name, endedAt: () => at, ended: drained.then(note, note) }
}

async function watchPath(caller: Client, path: string, signal: AbortSignal): Promise<Watched> {
  const response = await caller.open('GET', path, { signal })
  expect([path, response.status]).toEqual([path, 200])
  if (!response.body) throw new Error(`${path} has no body`)
  return watched(path, response.body)
}

const grpc = ({ token, project }: Client) =>
  createGrpcClient(schedulerServiceDefinition, target.grpcAddress, {
    bearer: token ?? '',
    ...(project === undefined ? {} : { project }),
  })

async function watchByGrpc(caller: Client, signal: AbortSignal): Promise<Watched> {
  const scheduler = grpc(caller)
  signal.addEventListener('abort', () => scheduler.close(), { once: true })
  const changes = scheduler.watchRun({ runId }, { signal })[Symbol.asyncIterator]()
  expect((await changes.next()).value?.snapshot?.run?.id).toBe(runId)
  return watched(watchRun, { [Symbol.asyncIterator]: () => changes })
}

/** Live streams of a caller, opened and seen to be open. */
const watch = (caller: Client, signal: AbortSignal): Promise<Watched[]> =>
  Promise.all([...paths.map((path) => watchPath(caller, path, signal)), watchByGrpc(caller, signal)])

const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const open = (streams: Watched[]): string[] =>
  streams.filter(({ endedAt }) => endedAt() === undefined).map(({ name }) => name)

/** A refusal of a stream that is opened again. */
async function expectRefused(caller: Client, refusal: number): Promise<void> {
  for (const path of paths) expect([path, (await caller.call('GET', path)).status]).toEqual([path, refusal])
  const scheduler = grpc(caller)
  try {
    // Over gRPC a project that is not the caller's makes the token good for nothing.
    const first = scheduler.watchRun({ runId })[Symbol.asyncIterator]().next()
    await expect(first).rejects.toMatchObject({ code: 'unauthenticated' })
  } finally {
    scheduler.close()
  }
}

/** Watches, takes the right away, and finds every stream ended in time and not to be opened again; the owner's stay. */
async function expectEnd(caller: Client, lose: () => Promise<unknown>, refusal: number): Promise<void> {
  const stop = new AbortController()
  try {
    const others = await watch(owner.client, stop.signal)
    const streams = await watch(caller, stop.signal)
    const all = [...paths, watchRun]
    const before = times()
    await delay(quietMs)
    expect(open(streams)).toEqual(all)
    await lose()
    const lostAt = performance.now()
    await Promise.race([Promise.all(streams.map(({ ended }) => ended)), delay(promisedMs * mostSlowdown)])
    // Where threads had to wait for a processor, by what else the machine does, noticing takes as much longer.
    const allowedMs = promisedMs * Math.min(mostSlowdown, slowdown(spent(before, times())))
    for (const { name, endedAt } of streams) {
      expect((endedAt() ?? Number.POSITIVE_INFINITY) - lostAt, name).toBeLessThanOrEqual(allowedMs)
    }
    await expectRefused(caller, refusal)
    expect(open(others)).toEqual(all)
  } finally {
    stop.abort()
  }
}

describe('live streams of a project end within seconds', () => {
  test('of the end of a membership', async () => {
    const { slug } = owner.project
    const member = await newUser(target)
    await addMember(target, slug, member.id, 'viewer')
    const remove = () => owner.client.want(204, 'DELETE', `/api/v1/projects/${slug}/members/${member.id}`)
    await expectEnd(member.client.in(slug), remove, 404)
  }, 60_000)

  test('of a logout', async () => {
    const anonymous = new Client(target.url)
    const { email, password } = owner
    const { accessToken, refreshToken } = await anonymous.want<{ accessToken: string; refreshToken: string }>(
      ...([200, 'POST', '/api/v1/auth/login', { body: { email, password } }] as const),
    )
    const logout = () => anonymous.want(204, 'POST', '/api/v1/auth/logout', { body: { refreshToken } })
    await expectEnd(anonymous.as(accessToken), logout, 401)
  }, 60_000)

  test('of a revocation of the key', async () => {
    const { id, key } = await owner.client.createKey('viewer')
    await expectEnd(owner.client.as(key), () => owner.client.want(204, 'DELETE', `/api/v1/api-keys/${id}`), 401)
  }, 60_000)

  test("of the credential's own end", async () => {
    const endsAt = Date.now() + 12_000
    const body = { name: 'short', role: 'viewer', expiresAt: new Date(endsAt).toISOString() }
    const { key } = await owner.client.want<ApiKey>(201, 'POST', '/api/v1/api-keys', { body })
    const end = () => new Promise((resolve) => setTimeout(resolve, endsAt - Date.now()))
    await expectEnd(owner.client.as(key), end, 401)
  }, 60_000)
})
