import { freePort, type HttpSink, httpSink, type SinkAnswer, waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openHarness, resultOf } from './harness.js'

let sink: HttpSink
let harness: Awaited<ReturnType<typeof openHarness>>
let closedPort = 0
beforeAll(async () => {
  sink = await httpSink()
  closedPort = await freePort()
  const allow = [`127.0.0.1:${sink.port}`, `127.0.0.1:${closedPort}`]
  harness = await openHarness({ egress: { allowPrivate: false, allow } })
})
afterAll(async () => {
  await harness.close()
  await sink.close()
})
beforeEach(() => {
  sink.otherwise({ status: 200 })
})

interface Output {
  status: number
  headers: Record<string, string>
  body: unknown
  durationMs: number
}

async function call(input: Record<string, unknown>, answer?: SinkAnswer, lease: object = {}) {
  sink.requests.length = 0
  if (answer) sink.otherwise(answer)
  const { dispatch, logs } = harness
  const inputJson = JSON.stringify({ url: `${sink.url}/x`, ...input })
  const [id] = dispatch.enqueue({ uses: 'http', inputJson, ...lease })
  const { outcome, outputJson, error, traceparent, retryAfterMs } = await resultOf(dispatch, id)
  await waitFor(() => /^attempt 1 (succeeded|failed)/.test(logs.of(id).at(-1)?.message ?? ''))
  const output = outcome === 'OUTCOME_SUCCEEDED' ? (JSON.parse(outputJson) as Output) : undefined
  return {
    output,
    error,
    traceparent,
    retryAfterMs,
    request: sink.requests[0],
    lines: logs.of(id).map((line) => line.message),
  }
}

describe('a call', () => {
  it('sends what it is given and answers status, headers, body and time', async () => {
    const answer = { status: 201, headers: { 'content-type': 'application/json', 'x-a': 'b' }, body: '{"total":3}' }
    const input = {
      method: 'post',
      headers: { 'X-In': 1 },
      query: { a: 'b c', n: [1, true], skip: null },
      body: { k: [1] },
    }
    const { output, request } = await call(input, answer)
    expect(output).toMatchObject({ status: 201, body: { total: 3 }, headers: { 'x-a': 'b' } })
    expect(output?.durationMs).toBeGreaterThanOrEqual(0)
    expect(request).toMatchObject({ method: 'POST', url: '/x?a=b+c&n=1&n=true', body: '{"k":[1]}' })
    expect(request?.headers).toMatchObject({ 'x-in': '1', 'content-type': 'application/json' })
  })

  it('carries the idempotency key of the task, unless the definition sets one', async () => {
    const lease = { idempotencyKey: 'abc123' }
    expect((await call({}, undefined, lease)).request?.headers['idempotency-key']).toBe('abc123')
    const own = { method: 'POST', headers: { 'Idempotency-Key': 'mine' } }
    expect((await call(own, undefined, lease)).request?.headers['idempotency-key']).toBe('mine')
  })

  it.each([
    [429, '30', 30_000],
    [503, '2', 2_000],
    [503, 'soon', 0],
    [503, '-1', 0],
    [503, new Date(0).toUTCString(), 0],
    [429, '999999999', 86_400_000],
    [500, '30', 0],
  ])('%i with Retry-After %s asks for %i ms', async (status, value, expected) => {
    const { retryAfterMs } = await call({}, { status, headers: { 'retry-after': value } })
    expect(Number(retryAfterMs)).toBe(expected)
  })

  it('reads Retry-After as a date', async () => {
    const at = new Date(Date.now() + 60_000).toUTCString()
    const { retryAfterMs } = await call({}, { status: 503, headers: { 'retry-after': at } })
    expect(Number(retryAfterMs)).toBeGreaterThan(50_000)
    expect(Number(retryAfterMs)).toBeLessThanOrEqual(60_000)
  })

  it('is a GET by default, and a text body is sent as it is', async () => {
    expect((await call({})).request?.method).toBe('GET')
    const { request } = await call({ method: 'PUT', body: 'plain' })
    expect([request?.body, request?.headers['content-type']]).toEqual(['plain', 'text/plain; charset=utf-8'])
  })

  it.each<[SinkAnswer, unknown]>([
    [{ status: 204 }, null],
    [{ status: 200, headers: { 'content-type': 'application/problem+json' }, body: '[1]' }, [1]],
    [{ status: 200, headers: { 'content-type': 'application/json' }, body: '{broken' }, '{broken'],
    [{ status: 200, headers: { 'content-type': 'text/plain' }, body: '{"a":1}' }, '{"a":1}'],
  ])('reads %j as %j', async (answer, body) => {
    expect((await call({}, answer)).output?.body).toEqual(body)
  })

  it.each([
    [
      { type: 'basic', username: 'u', password: 'p' },
      'authorization',
      `Basic ${Buffer.from('u:p').toString('base64')}`,
    ],
    [{ type: 'bearer', token: 'tok' }, 'authorization', 'Bearer tok'],
    [{ type: 'header', name: 'X-Api-Key', value: 'k' }, 'x-api-key', 'k'],
  ])('authenticates by %j', async (auth, header, value) => {
    expect((await call({ auth })).request?.headers[header]).toBe(value)
  })

  it('hides credentials that come back, and secrets in them', async () => {
    const secret = 'hunter2-hunter2'
    const encoded = Buffer.from(`u:${secret}`).toString('base64')
    sink.otherwise((request) => ({ status: 200, body: String(request.headers.authorization) }))
    const { output } = await call({ auth: { type: 'basic', username: 'u', password: secret } }, undefined, {
      secrets: [secret],
    })
    expect(output?.body).toBe('Basic ***')
    expect(sink.requests[0]?.headers.authorization).toBe(`Basic ${encoded}`)
  })

  it('carries the trace onward, as a child of the execution', async () => {
    const trace = '0af7651916cd43dd8448eb211c80319c'
    const { request, traceparent } = await call({}, undefined, { traceparent: `00-${trace}-b7ad6b7169203331-01` })
    expect(request?.headers.traceparent).toBe(traceparent)
    expect(traceparent).toContain(trace)
  })

  it('logs start, answer and end, and names fields it does not know', async () => {
    const { lines } = await call({ heders: {} })
    expect(lines).toEqual([
      'attempt 1 started',
      'ignored unknown fields of `with`: heders',
      expect.stringMatching(/^GET answered 200 in \d+ ms$/),
      expect.stringMatching(/^attempt 1 succeeded/),
    ])
  })
})

describe('an answer that was not expected', () => {
  it.each([
    [400, 'http_4xx', false],
    [404, 'http_4xx', false],
    [408, 'http_4xx', true],
    [425, 'http_4xx', true],
    [429, 'http_4xx', true],
    [500, 'http_5xx', true],
    [503, 'http_5xx', true],
    [304, 'unknown', true],
  ])('%i is class %s, retryable %s', async (status, errorClass, retryable) => {
    const { error } = await call({}, { status })
    expect(error).toMatchObject({ class: errorClass, retryable, code: 'http_status' })
  })

  it('shows the beginning of the body and when to come back', async () => {
    const { error, lines } = await call({}, { status: 429, headers: { 'retry-after': '30' }, body: 'slow down' })
    expect(error?.message).toBe('The answer was 429: slow down')
    expect(lines).toContain('the peer asks to retry after 30')
  })

  it('shows no half of a secret where it is cut', async () => {
    const secret = 'hunter2-hunter2'
    const answer = {
      status: 429,
      headers: { 'retry-after': `${'9'.repeat(60)}${secret}` },
      body: `${'x'.repeat(505)}${secret}`,
    }
    const { error, lines } = await call({}, answer, { secrets: [secret] })
    expect(`${error?.message}${lines.join('')}`).not.toContain('hunt')
    expect(error?.message).toMatch(/x{505}\*\*\*$/)
  })

  it('is what `expect` says', async () => {
    expect((await call({ expect: ['2xx', 404] }, { status: 404 })).output?.status).toBe(404)
    expect((await call({ expect: [201] }, { status: 200 })).error).toMatchObject({
      class: 'unknown',
      code: 'http_status',
    })
    expect((await call({ expect: '5XX' }, { status: 503 })).output?.status).toBe(503)
  })
})

describe('a call that fails', () => {
  it('is class network when nobody listens or the line breaks', async () => {
    expect((await call({ url: `http://127.0.0.1:${closedPort}/` })).error).toMatchObject({
      class: 'network',
      retryable: true,
    })
    expect((await call({}, { destroy: true })).error?.class).toBe('network')
    expect((await call({ url: 'http://does-not-exist.invalid/' })).error?.class).toBe('network')
  })

  it('is class timeout when the task has a limit', async () => {
    expect((await call({}, { status: 200, delayMs: 3_000 }, { timeoutMs: 80 })).error?.class).toBe('timeout')
  })

  it('is class non_retryable when the address is guarded, also behind a redirect', async () => {
    for (const url of [
      'http://127.0.0.1:1/',
      'http://localhost/',
      'http://169.254.169.254/',
      'http://[::1]/',
      'file:///etc/passwd',
    ]) {
      expect((await call({ url })).error).toMatchObject({
        class: 'non_retryable',
        code: 'egress_denied',
        retryable: false,
      })
    }
    const answer = { status: 302, headers: { location: 'http://127.0.0.1:1/' } }
    expect((await call({}, answer)).error).toMatchObject({ class: 'non_retryable', code: 'egress_denied' })
  })

  it('is class validation when the answer is larger than allowed', async () => {
    const { error } = await call({ maxResponseBytes: 10 }, { status: 200, body: 'x'.repeat(11) })
    expect(error).toMatchObject({ class: 'validation', retryable: false })
  })
})

describe('a malformed `with` is class validation and calls nobody', () => {
  it.each<[string, Record<string, unknown>]>([
    ['no url', { url: null }],
    ['a url that is no url', { url: 'shop.example/orders' }],
    ['a url that is no text', { url: { a: 1 } }],
    ['a method of its own', { method: 'BREW' }],
    ['a method with a line break', { method: 'GET /admin HTTP/1.1\r\nX: y' }],
    ['headers as a list', { headers: ['a'] }],
    ['a header that breaks the line', { headers: { a: 'b\r\nc: d' } }],
    ['a header beyond latin', { headers: { a: 'δ' } }],
    ['a header name with a space', { headers: { 'a b': 'c' } }],
    ['a header of framing', { headers: { 'Transfer-Encoding': 'chunked' } }],
    ['a header that is an object', { headers: { a: {} } }],
    ['a query as text', { query: 'a=b' }],
    ['a query of objects', { query: { a: {} } }],
    ['a body with GET', { body: 'x' }],
    ['an unknown auth', { auth: { type: 'digest' } }],
    ['an auth without a token', { auth: { type: 'bearer' } }],
    ['a token that breaks the line', { auth: { type: 'bearer', token: 'a\nb: c' } }],
    ['an expect of nonsense', { expect: ['ok'] }],
    ['an empty expect', { expect: [] }],
    ['an expect that is an object', { expect: {} }],
    ['a limit of nothing', { maxResponseBytes: 0 }],
    ['a limit beyond bounds', { maxResponseBytes: 1e12 }],
    ['a limit as text', { maxResponseBytes: '10' }],
  ])('%s', async (_name, input) => {
    const { error, request } = await call(input)
    expect([error?.class, error?.retryable, request]).toEqual(['validation', false, undefined])
  })
})
