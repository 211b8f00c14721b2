import { freePort, type SinkAnswer, waitFor } from '@millrace/testkit'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Harness, type Json } from './support/harness.js'

/** 10,000 by `make show-deliveries`. */
const COUNT = Number(process.env.MILLRACE_SHOW_DELIVERIES ?? 200)
/** The seed is printed when the test fails, through its title. */
const SEED = Number(process.env.MILLRACE_SHOW_SEED ?? Date.now() % 100_000)

/** Mulberry32: the receiver's moods can be had again. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

const moods: readonly SinkAnswer[] = [
  { status: 500, body: 'not now' },
  { status: 503, headers: { 'retry-after': '1' } },
  { status: 429, headers: { 'retry-after': '1' } },
  { destroy: true },
  { status: 200, delayMs: 1500 },
  { status: 302, headers: { location: 'http://169.254.169.254/' } },
]

describe('a receiver that fails at random', () => {
  let harness: Harness
  beforeAll(async () => {
    const retryScheduleMs = Array<number>(60).fill(50)
    harness = await Harness.create({ retryScheduleMs, timeoutMs: 1000, pollMs: 50, disableAfterFailures: 1000 })
  })
  afterAll(() => harness.close())

  it(
    `gets each of ${COUNT} notifications, one id each, all signed (seed ${SEED})`,
    async () => {
      const random = randomOf(SEED)
      const { id, secret } = await harness.subscribe()
      const receiver = new Webhook(secret)
      const idsOf = new Map<string, Set<string>>()
      const accepted = new Map<string, number>()
      let tries = 0
      harness.sink.otherwise(({ headers, body }) => {
        tries += 1
        harness.sink.requests.length = 0
        const webhookId = String(headers['webhook-id'])
        const { data } = receiver.verify(body, headers as Record<string, string>) as { data: { runId: string } }
        idsOf.set(data.runId, (idsOf.get(data.runId) ?? new Set()).add(webhookId))
        if (random() < 0.4) return moods[Math.floor(random() * moods.length)] ?? {}
        accepted.set(webhookId, (accepted.get(webhookId) ?? 0) + 1)
        return { status: 204 }
      })
      const events = Array.from({ length: COUNT }, () => harness.completed())
      for (let n = 0; n < COUNT; n += 500) await harness.emit(...events.slice(n, n + 500))
      const counts = async () =>
        (
          await harness.pool.query<{ status: string; count: number; attempts: number }>(
            `select status, count(*)::int as count, sum(attempt_count)::int as attempts from deliveries
           where subscription_id = $1 group by status`,
            [id],
          )
        ).rows
      await waitFor(
        async () => (await counts()).some(({ status, count }) => status === 'delivered' && count === COUNT),
        {
          timeoutMs: 60_000 + COUNT * 60,
          what: 'every delivery',
        },
      )
      const [only, ...others] = await counts()
      expect(others).toEqual([])
      expect([only?.attempts, idsOf.size, accepted.size]).toEqual([tries, COUNT, COUNT])
      expect([...idsOf.values()].every((ids) => ids.size === 1)).toBe(true)
      // Nobody was sent again what was accepted.
      expect([...accepted.values()].every((times) => times === 1)).toBe(true)
      expect(tries).toBeGreaterThan(COUNT * 1.2)
    },
    60_000 + COUNT * 70,
  )
})

describe('a receiver in trouble is seen in the history', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await Harness.create({ retryScheduleMs: [50], timeoutMs: 500, pollMs: 50 })
  })
  afterAll(() => harness.close())
  afterEach(() => harness.removeSubscriptions())
  const channel = (url: string) => ({ channel: { type: 'webhook', url } })
  const history = async (id: string, status: string) => {
    const { reason, attempts } = await harness.settled(id, status, 20_000)
    return {
      reason,
      attempts: attempts.map(({ statusCode, error }: Json) => [statusCode, String(error).split(':')[0]]),
    }
  }

  it('down', async () => {
    const port = await freePort()
    harness.config.egress?.allow.push(`127.0.0.1:${port}`)
    await harness.service.stop()
    await harness.startService()
    const { id } = await harness.subscribe(channel(`http://127.0.0.1:${port}/`))
    await harness.emit(harness.completed())
    const { reason, attempts } = await history(id, 'failed')
    expect([reason, attempts.length, attempts[0]?.[0]]).toEqual(['retries_exhausted', 2, null])
  })

  it.each<[string, SinkAnswer, string, unknown]>([
    ['slow', { status: 200, delayMs: 2000 }, 'retries_exhausted', [null, 'timeout']],
    ['redirecting inwards', moods[5] ?? {}, 'retries_exhausted', [302, 'http_302']],
    ['gone', { status: 410 }, 'endpoint_gone', [410, 'http_410']],
  ])('%s', async (_, answer, reason, attempt) => {
    const { id } = await harness.subscribe()
    harness.sink.requests.length = 0
    harness.sink.otherwise(answer)
    await harness.emit(harness.completed())
    const found = await history(id, 'failed')
    expect(found.reason).toBe(reason)
    expect(found.attempts).toEqual(Array(reason === 'endpoint_gone' ? 1 : 2).fill(attempt))
    const { enabled, disabledReason } = (await harness.call('GET', `/subscriptions/${id}`)).body
    expect([enabled, disabledReason]).toEqual(reason === 'endpoint_gone' ? [false, 'endpoint_gone'] : [true, null])
  })

  it('busy: it is given the time that it asks for', async () => {
    const { id } = await harness.subscribe()
    harness.sink.requests.length = 0
    harness.sink.script({ status: 429, headers: { 'retry-after': '1' } })
    harness.sink.otherwise({ status: 204 })
    await harness.emit(harness.completed())
    expect((await history(id, 'delivered')).attempts).toEqual([
      [429, 'http_429'],
      [204, 'null'],
    ])
    const [first, second] = harness.sink.requests
    expect(Number(second?.at) - Number(first?.at)).toBeGreaterThanOrEqual(995)
  })
})
