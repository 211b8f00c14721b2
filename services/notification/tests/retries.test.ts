import { httpSink, waitFor } from '@millrace/testkit'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Harness } from './support/harness.js'

const scheduleMs = [100, 300]

describe('retries', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await Harness.create({
      retryScheduleMs: scheduleMs,
      timeoutMs: 1000,
      pollMs: 50,
      disableAfterFailures: 1000,
    })
  })
  afterAll(() => harness.close())
  beforeEach(() => {
    harness.sink.requests.length = 0
    harness.sink.otherwise({ status: 204 })
  })
  afterEach(() => harness.removeSubscriptions())

  it('follow the schedule, never sooner, with one webhook-id and a fresh signature, until one succeeds', async () => {
    const { id, secret } = await harness.subscribe()
    harness.sink.script({ status: 500, body: 'first' }, { status: 400, body: 'second' })
    await harness.emit(harness.completed())
    const notification = await harness.settled(id, 'delivered')
    expect(notification.attempts).toMatchObject([
      { statusCode: 500, error: expect.stringContaining('http_500'), responseSnippet: 'first' },
      { statusCode: 400, error: expect.stringContaining('http_400'), responseSnippet: 'second' },
      { statusCode: 204, error: null, responseSnippet: null },
    ])
    const { requests } = harness.sink
    expect(new Set(requests.map((request) => request.headers['webhook-id']))).toEqual(new Set([notification.id]))
    expect(new Set(requests.map((request) => request.body)).size).toBe(1)
    for (const request of requests) new Webhook(secret).verify(request.body, request.headers as Record<string, string>)
    scheduleMs.forEach((wait, n) => {
      const gap = requests[n + 1]!.at.getTime() - requests[n]!.at.getTime()
      expect(gap).toBeGreaterThanOrEqual(wait - 5)
      expect(gap).toBeLessThan(wait * 1.2 + 3000)
    })
    const times = notification.attempts.map((attempt) => String(attempt.at))
    expect([...times].sort()).toEqual(times)
  })

  it('end in failed when the schedule is used up, with an event and an audit entry', async () => {
    const { id } = await harness.subscribe()
    harness.sink.otherwise({ status: 503 })
    await harness.emit(harness.completed())
    const notification = await harness.settled(id, 'failed')
    expect(notification.attempts).toHaveLength(scheduleMs.length + 1)
    expect(notification).toMatchObject({ reason: 'retries_exhausted', nextAttemptAt: null, attemptCount: 3 })
    const failed = await harness.events('notification.failed')
    expect(failed).toContainEqual(
      expect.objectContaining({ notificationId: notification.id, subscriptionId: id, reason: 'retries_exhausted' }),
    )
    const audits = await harness.events('audit.recorded')
    expect(audits).toContainEqual(
      expect.objectContaining({ action: 'notification.failed', target: `notification:${String(notification.id)}` }),
    )
  })

  it('count a timeout and a cut connection as failed tries, and name them', async () => {
    const { id } = await harness.subscribe()
    harness.sink.script({ status: 200, delayMs: 6000 }, { destroy: true })
    await harness.emit(harness.completed())
    const notification = await harness.settled(id, 'delivered')
    expect(notification.attempts).toMatchObject([
      { statusCode: null, error: expect.stringMatching(/^timeout: /) },
      { statusCode: null, error: expect.stringMatching(/^network_error: /) },
      { statusCode: 204 },
    ])
    expect(notification.attempts[0]?.latencyMs).toBeGreaterThanOrEqual(990)
    expect(notification.attempts[0]?.latencyMs).toBeLessThan(4000)
  })

  it('wait as long as the receiver asks with Retry-After', async () => {
    const { id } = await harness.subscribe()
    harness.sink.script({ status: 429, headers: { 'retry-after': '1' } })
    await harness.emit(harness.completed())
    await harness.settled(id, 'delivered')
    const [first, second] = harness.sink.requests
    expect(second!.at.getTime() - first!.at.getTime()).toBeGreaterThanOrEqual(990)
  })

  it('do not let one slow receiver hold up another', async () => {
    const slow = await httpSink()
    const recent: number[] = []
    let mostAtOnce = 0
    slow.otherwise(() => {
      const now = performance.now()
      recent.push(now)
      // A try lasts a second, so whatever came in the last 0.6 s is still open, also when this process sees it late.
      mostAtOnce = Math.max(mostAtOnce, recent.filter((at) => now - at < 600).length)
      return { status: 200, delayMs: 30_000 }
    })
    harness.config.egress?.allow.push(`127.0.0.1:${slow.port}`)
    await harness.service.stop()
    await harness.startService()
    try {
      const one = await harness.subscribe({ channel: { type: 'webhook', url: `${slow.url}/slow` } })
      const two = await harness.subscribe()
      await harness.emit(...Array.from({ length: 200 }, () => harness.completed()))
      await waitFor(
        async () => {
          const done = await harness.notifications(`?subscription=${two.id}&status=delivered&limit=200`)
          return done.length === 200
        },
        { timeoutMs: 25_000 },
      )
      // Eight at a time for a second each: the slow one is far from done, and took no more than its share.
      const waiting = await harness.notifications(`?subscription=${one.id}&status=pending&limit=200`)
      expect(waiting).toHaveLength(200)
      expect(mostAtOnce).toBeGreaterThan(0)
      expect(mostAtOnce).toBeLessThanOrEqual(8)
    } finally {
      await harness.removeSubscriptions()
      await slow.close()
    }
  })

  it('are started anew by a redelivery, under the same id', async () => {
    const { id } = await harness.subscribe()
    harness.sink.otherwise({ status: 500 })
    await harness.emit(harness.completed())
    const failed = await harness.settled(id, 'failed')
    harness.sink.otherwise({ status: 500 })
    harness.sink.script({ status: 502 }, { status: 200 })
    const answer = await harness.call('POST', `/notifications/${String(failed.id)}/redeliver`)
    expect(answer).toMatchObject({ status: 202, body: { id: failed.id, status: 'pending', reason: null } })
    const delivered = await harness.settled(id, 'delivered')
    expect(delivered.attempts.map((attempt) => attempt.statusCode)).toEqual([500, 500, 500, 502, 200])
    expect(new Set(harness.sink.requests.map((request) => request.headers['webhook-id'])).size).toBe(1)
    const again = await harness.call('POST', `/notifications/${String(failed.id)}/redeliver`)
    expect(again.status).toBe(202)
    await waitFor(() => harness.sink.requests.length === 6)
  })

  it('stop when the subscription is deleted', async () => {
    const { id } = await harness.subscribe()
    harness.sink.otherwise({ status: 500 })
    await harness.emit(harness.completed())
    await waitFor(() => harness.sink.requests.length === 1)
    const [waiting] = await waitFor(async () => {
      const pending = await harness.notifications(`?subscription=${id}`)
      return pending[0]?.attemptCount === 1 && pending
    })
    expect((await harness.call('DELETE', `/subscriptions/${id}`)).status).toBe(204)
    const ended = await harness.call('GET', `/notifications/${String(waiting?.id)}`)
    expect(ended.body).toMatchObject({ status: 'failed', reason: 'subscription_deleted' })
    const again = await harness.call('POST', `/notifications/${String(waiting?.id)}/redeliver`)
    expect(again).toMatchObject({ status: 409, body: { code: 'subscription_deleted' } })
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(harness.sink.requests).toHaveLength(1)
  })
})
