import { randomUUID } from 'node:crypto'
import { waitFor } from '@millrace/testkit'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Harness } from './support/harness.js'

describe('webhooks', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await Harness.create(
      { retryScheduleMs: [50, 100], timeoutMs: 500 },
      {},
      { publicUrl: 'https://m.example' },
    )
  })
  afterAll(() => harness.close())
  beforeEach(() => {
    harness.sink.requests.length = 0
    harness.sink.otherwise({ status: 204 })
  })
  afterEach(() => harness.removeSubscriptions())
  const requests = (count: number) => waitFor(() => harness.sink.requests.length >= count && harness.sink.requests)

  it('are signed so that a Standard Webhooks receiver accepts them, and say how the run ended', async () => {
    const { id, secret } = await harness.subscribe()
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const runId = randomUUID()
    await harness.emit(harness.completed({ runId }))
    const [request] = await requests(1)
    const body = new Webhook(secret).verify(request!.body, request!.headers as Record<string, string>)
    expect(body).toMatchObject({
      type: 'workflow.completed',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: {
        runId,
        workflow: 'order-fulfilment',
        version: 3,
        status: 'succeeded',
        reason: null,
        labels: { team: 'shop' },
        output: { receipt: 'r-1' },
        error: null,
      },
    })
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Millrace-Webhooks/1' })
    const notification = await harness.settled(id, 'delivered')
    expect(notification.id).toBe(request?.headers['webhook-id'])
    expect(notification.attempts).toMatchObject([{ statusCode: 204, error: null, responseSnippet: null }])
    expect(notification).toMatchObject({ runId, type: 'workflow.completed', nextAttemptAt: null, payload: body })
    await waitFor(async () =>
      (await harness.events('notification.delivered')).some((event) => event.notificationId === notification.id),
    )
  })

  it('of a failed run say who started it, which task failed it and why, and where to look', async () => {
    await harness.subscribe()
    const runId = randomUUID()
    const scheduleId = randomUUID()
    const traceId = randomUUID().replaceAll('-', '')
    const failure = { code: 'map_failed', message: '2 of 9 failed', class: 'http_5xx', retryable: false }
    const failed = { status: 'failed', outputJson: '', error: failure, failedTask: 'ship', failedIndex: 4 }
    await harness.emit(
      harness.completed(
        { runId, ...failed, requestedBy: `schedule:${scheduleId}` },
        `00-${traceId}-00f067aa0ba902b7-01`,
      ),
    )
    const [request] = await requests(1)
    expect(JSON.parse(request!.body).data).toMatchObject({
      status: 'failed',
      error: { task: 'ship', index: 4, ...failure },
      startedBy: { type: 'schedule', id: scheduleId },
      traceId,
      url: `https://m.example/runs/${runId}?project=${harness.projectId}`,
    })
  })

  it('carry the trace of the run', async () => {
    await harness.subscribe()
    const traceId = randomUUID().replaceAll('-', '')
    await harness.emit(harness.completed({}, `00-${traceId}-00f067aa0ba902b7-01`))
    const [request] = await requests(1)
    expect(request?.headers.traceparent).toContain(traceId)
  })

  it('carry custom headers, stored encrypted and shown masked', async () => {
    const channel = {
      type: 'webhook',
      url: `${harness.sink.url}/hook`,
      headers: { Authorization: 'Bearer my-credential', 'X-Team': 'shop' },
    }
    const { id } = await harness.subscribe({ channel })
    await harness.emit(harness.completed())
    const [request] = await requests(1)
    expect(request?.headers).toMatchObject({ authorization: 'Bearer my-credential', 'x-team': 'shop' })
    const shown = (await harness.call('GET', `/subscriptions/${id}`)).body
    expect(shown.channel).toEqual({ ...channel, headers: { Authorization: '********', 'X-Team': 'shop' } })
    const { rows } = await harness.pool.query('select headers, secret from subscriptions where id = $1', [id])
    expect(rows[0].headers.toString('latin1')).not.toContain('my-credential')
    // A masked value that comes back leaves the stored one as it is.
    const patched = { ...(shown.channel as object), url: `${harness.sink.url}/other` }
    expect((await harness.call('PATCH', `/subscriptions/${id}`, { channel: patched })).status).toBe(200)
    await harness.emit(harness.completed())
    const last = (await requests(2)).at(-1)
    expect(last?.url).toBe('/other')
    expect(last?.headers.authorization).toBe('Bearer my-credential')
  })

  it('sign with the new secret after a rotation, and with the old one too while the grace lasts', async () => {
    const { id, secret } = await harness.subscribe()
    const rotated = await harness.call('POST', `/subscriptions/${id}/rotate-secret`, { graceSeconds: 60 })
    expect(rotated.status).toBe(200)
    const second = rotated.body.secret as string
    await harness.emit(harness.completed())
    const [both] = await requests(1)
    for (const good of [secret, second]) {
      new Webhook(good).verify(both!.body, both!.headers as Record<string, string>)
    }
    const third = (await harness.call('POST', `/subscriptions/${id}/rotate-secret`)).body.secret as string
    await harness.emit(harness.completed())
    const last = (await requests(2)).at(-1)!
    new Webhook(third).verify(last.body, last.headers as Record<string, string>)
    for (const stale of [secret, second]) {
      expect(() => new Webhook(stale).verify(last.body, last.headers as Record<string, string>)).toThrow()
    }
  })

  it('leave out an output that is too large to push', async () => {
    await harness.subscribe()
    await harness.emit(harness.completed({ outputJson: JSON.stringify('x'.repeat(70_000)) }))
    const [request] = await requests(1)
    expect(JSON.parse(request!.body).data).toMatchObject({ output: null, outputOmitted: true })
  })

  it('survive values that Postgres text and headers do not take', async () => {
    const { id, secret } = await harness.subscribe()
    harness.sink.otherwise({ status: 200, body: `ok\0${'é'.repeat(2000)}` })
    await harness.emit(harness.completed({ outputJson: '"nul \\u0000 lone \\ud800"', labels: { a: 'ü\u2028' } }))
    const notification = await harness.settled(id, 'delivered')
    const [request] = await requests(1)
    new Webhook(secret).verify(request!.body, request!.headers as Record<string, string>)
    const snippet = notification.attempts[0]?.responseSnippet as string
    expect(snippet.startsWith('ok\ufffdé')).toBe(true)
    expect(Buffer.byteLength(snippet)).toBeLessThanOrEqual(1024)
  })

  it('do not follow redirects', async () => {
    const { id } = await harness.subscribe()
    harness.sink.otherwise({ status: 302, headers: { location: `${harness.sink.url}/elsewhere` } })
    await harness.emit(harness.completed())
    const notification = await harness.settled(id, 'failed')
    expect(notification.attempts.map((attempt) => attempt.statusCode)).toEqual([302, 302, 302])
    expect(harness.sink.requests.some((request) => request.url === '/elsewhere')).toBe(false)
  })

  it('take any answer, however long, by its status', async () => {
    const { id } = await harness.subscribe()
    harness.sink.otherwise({ status: 200, body: 'x'.repeat(5_000_000) })
    await harness.emit(harness.completed())
    const notification = await harness.settled(id, 'delivered')
    expect(notification.attempts).toMatchObject([{ statusCode: 200, responseSnippet: 'x'.repeat(1024) }])
  })
})

describe('the first try', () => {
  it('waits for no poll: not after an event, a test or a redelivery, and not behind a full endpoint', async () => {
    const harness = await Harness.create({ pollMs: 600_000, maxPerEndpoint: 2 })
    try {
      const { id } = await harness.subscribe()
      await harness.emit(...Array.from({ length: 20 }, () => harness.completed()))
      await waitFor(() => harness.sink.requests.length === 20)
      const test = await harness.call('POST', `/subscriptions/${id}/test`)
      await waitFor(() => harness.sink.requests.length === 21)
      await waitFor(async () => (await harness.notifications(`?subscription=${id}&status=delivered`)).length === 21)
      await harness.call('POST', `/notifications/${String(test.body.id)}/redeliver`)
      await waitFor(() => harness.sink.requests.length === 22)
    } finally {
      await harness.close()
    }
  })
})
