import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Account, Client, newUser } from './support/client.js'
import { addMember } from './support/members.js'
import type { ApiKey } from './support/shapes.js'
import { startTarget, type Target } from './support/target.js'

/** Five seconds are promised; a busy machine may take a moment longer to notice. */
const withinMs = 7000

let target: Target
let owner: Account
let paths: string[]

beforeAll(async () => {
  target = await startTarget()
}, 120_000)

afterAll(() => target?.close())

beforeEach(async () => {
  owner = await newUser(target)
  // It waits, so that nothing but the caller's right can end the stream.
  const { id } = await owner.client.runTasks({ wait: { uses: 'signal', with: { name: 'go' } } })
  paths = [`/api/v1/runs/${id}/events`, '/api/v1/events']
})

interface Watched {
  path: string
  /** How long after the right was lost; undefined when it was still open then. */
  endedAfterMs(lostAt: number): Promise<number | undefined>
}

/** Live streams of a caller, opened and seen to be open. */
async function watch(caller: Client, signal: AbortSignal): Promise<Watched[]> {
  return Promise.all(
    paths.map(async (path) => {
      const response = await caller.open('GET', path, { signal })
      expect([path, response.status]).toEqual([path, 200])
      const drained = (async () => {
        for await (const _ of response.body ?? []);
      })().catch(() => undefined)
      const ended = drained.then(() => performance.now())
      return {
        path,
        async endedAfterMs(lostAt) {
          let timer: NodeJS.Timeout | undefined
          const late = new Promise<undefined>((resolve) => {
            timer = setTimeout(() => resolve(undefined), lostAt + withinMs - performance.now())
          })
          const at = await Promise.race([ended, late])
          clearTimeout(timer)
          return at === undefined ? undefined : at - lostAt
        },
      }
    }),
  )
}

/** Watches, takes the right away, and finds every stream ended in time and not to be opened again; the owner's stay. */
async function expectEnd(caller: Client, lose: () => Promise<unknown>, refusal: number): Promise<void> {
  const stop = new AbortController()
  try {
    const others = await watch(owner.client, stop.signal)
    const streams = await watch(caller, stop.signal)
    // Open for longer than any check takes to come round.
    const early = await Promise.all(
      streams.map(({ endedAfterMs }) => endedAfterMs(performance.now() - withinMs + 2500)),
    )
    expect(early).toEqual(paths.map(() => undefined))
    await lose()
    const lostAt = performance.now()
    for (const { path, endedAfterMs } of streams)
      expect([path, await endedAfterMs(lostAt)]).toEqual([path, expect.any(Number)])
    for (const path of paths) expect([path, (await caller.call('GET', path)).status]).toEqual([path, refusal])
    const still = await Promise.all(others.map(({ endedAfterMs }) => endedAfterMs(performance.now() - withinMs + 100)))
    expect(still).toEqual(paths.map(() => undefined))
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
