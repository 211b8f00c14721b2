import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type SinkRequest, waitFor } from '@millrace/testkit'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Account, newUser } from './support/client.js'
import type {
  Artifact,
  Job,
  LogLine,
  Notification,
  Page,
  Run,
  RunSummary,
  Subscription,
  Task,
  Upload,
} from './support/shapes.js'
import { collect, readEvents, readLines, type ServerEvent } from './support/streams.js'
import { mailIsReadable, startTarget, type Target, targetIsOwn } from './support/target.js'
import { type TraceCollector, traceCollector } from './support/trace-collector.js'

const definition = readFileSync(join(import.meta.dirname, '..', 'examples', 'order-fulfilment.yaml'), 'utf8')
const order = ['fetch-order', 'process-payment', 'send-notification']

const traceId = randomBytes(16).toString('hex')
const traceparent = `00-${traceId}-${randomBytes(8).toString('hex')}-01`
const traceOf = (request: SinkRequest | undefined) => String(request?.headers.traceparent).split('-')[1]

let collector: TraceCollector
let target: Target
let account: Account
let hook: Subscription
let mailTo: string
let run: Run
let started: RunSummary
let events: ServerEvent[]
let followed: LogLine[]
let followedAsEvents: ServerEvent[]

/** A shop that takes its time over payments, refuses the first one, and remembers what it was asked. */
function openShop({ sink }: Target): void {
  let payments = 0
  sink.otherwise((request) => {
    const json = { 'content-type': 'application/json' }
    if (request.url === '/orders/1001') {
      return { status: 200, headers: json, body: JSON.stringify({ total: 42.5, email: 'buyer@example.test' }) }
    }
    if (request.url === '/payments') {
      payments += 1
      if (payments === 1) return { status: 503 }
      return { status: 201, headers: json, body: JSON.stringify({ receipt: 'R-7' }), delayMs: 300 }
    }
    if (request.url === '/notifications') return { status: 202 }
    return request.url === '/hook' ? { status: 200 } : { status: 404 }
  })
}

const requestsTo = (url: string) => target.sink.requests.filter((request) => request.url === url)

beforeAll(async () => {
  collector = await traceCollector()
  target = await startTarget(collector.env)
  openShop(target)
  account = await newUser(target)
  const { client } = account
  mailTo = `shop-${account.email}`
  await client.want(201, 'POST', '/api/v1/workflows', {
    raw: definition,
    headers: { 'content-type': 'application/yaml' },
  })
  const subscribe = (channel: object) =>
    client.want<Subscription>(201, 'POST', '/api/v1/subscriptions', {
      body: { events: ['workflow.completed'], filter: { workflow: 'order-fulfilment' }, channel },
    })
  hook = await subscribe({ type: 'webhook', url: `${target.sink.url}/hook` })
  await subscribe({ type: 'email', to: [mailTo] })

  const input = { orderId: '1001', shopUrl: target.sink.url }
  started = await client.startRun('order-fulfilment', { input }, { traceparent })
  const path = `/api/v1/runs/${started.id}`
  const [watch, lines, eventLines] = await Promise.all([
    client.open('GET', `${path}/events`),
    client.open('GET', `${path}/logs?follow=true`),
    client.open('GET', `${path}/logs?follow=true`, { headers: { accept: 'text/event-stream' } }),
  ])
  expect([watch.status, lines.status, eventLines.status]).toEqual([200, 200, 200])
  ;[events, followed, followedAsEvents] = await Promise.all([
    collect(readEvents(watch)),
    collect(readLines<LogLine>(lines)),
    collect(readEvents(eventLines)),
  ])
  run = await client.ended(started.id)
}, 120_000)

afterAll(async () => {
  await target?.close()
  await collector?.close()
})

describe('the example order', () => {
  test('the run succeeds, its tasks one after the other', () => {
    expect(run).toMatchObject({
      status: 'succeeded',
      workflow: 'order-fulfilment',
      output: { orderId: '1001', receipt: 'R-7' },
    })
    expect(run.tasks.map(({ key }) => key)).toEqual(order)
    for (const task of run.tasks) expect(task).toMatchObject({ status: 'succeeded', uses: 'http' })
    for (const [earlier, later] of [run.tasks.slice(0, 2), run.tasks.slice(1)] as const) {
      expect(Date.parse(later?.startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(earlier?.finishedAt ?? ''))
    }
    expect(run.tasks.map(({ attempt }) => attempt)).toEqual([1, 2, 1])
  })

  test('the shop was asked in that order, with the same key for both tries of the payment', () => {
    const asked = target.sink.requests.filter(({ url }) => url !== '/hook').map(({ method, url }) => `${method} ${url}`)
    expect(asked).toEqual(['GET /orders/1001', 'POST /payments', 'POST /payments', 'POST /notifications'])
    const [first, second] = requestsTo('/payments')
    expect(first?.headers['idempotency-key']).toBeTypeOf('string')
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key'])
    expect(JSON.parse(second?.body ?? '')).toEqual({ order: '1001', amount: 42.5 })
    expect(JSON.parse(requestsTo('/notifications')[0]?.body ?? '')).toEqual({
      to: 'buyer@example.test',
      text: 'Order 1001 is paid, receipt R-7.',
    })
  })

  test('results by task', async () => {
    const results = await account.client.get<Record<string, { status: number }>>(`/api/v1/runs/${run.id}/results`)
    expect(Object.keys(results).sort()).toEqual([...order].sort())
    expect(results['process-payment']?.status).toBe(201)
  })

  test('its events: a snapshot first, every task to its end, the end of the run last', () => {
    expect(events[0]?.event).toBe('snapshot')
    expect(events[0]?.data).toMatchObject({ id: run.id, tasks: expect.any(Array) })
    expect(events.at(-1)).toMatchObject({ data: { id: run.id, status: 'succeeded' } })
    expect(['run', 'snapshot']).toContain(events.at(-1)?.event)
    // What had ended before the watcher came is in a snapshot; a run watched from its request on has a second one.
    const seen = events.flatMap(({ event, data }) => (event === 'task' ? [data as Task] : ((data as Run).tasks ?? [])))
    const ends = [...new Set(seen.filter(({ status }) => status === 'succeeded').map(({ key }) => key))]
    expect(ends).toEqual(order)
  })

  test('its logs, plain', async () => {
    const response = await account.client.open('GET', `/api/v1/runs/${run.id}/logs`)
    expect(response.headers.get('content-type')).toMatch(/^application\/x-ndjson/)
    const lines = await collect(readLines<LogLine>(response))
    expect([...new Set(lines.map(({ task }) => task))]).toEqual(order)
    for (const { key, attempt } of run.tasks) {
      for (let n = 1; n <= attempt; n++) {
        const own = lines.filter((line) => line.task === key && line.attempt === n)
        expect(own.length, `${key} logs its start and its end`).toBeGreaterThanOrEqual(2)
        expect(own.map(({ seq }) => seq)).toEqual(own.map((_, i) => i + 1))
      }
    }
    expect(lines[0]).toEqual({
      seq: 1,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      level: expect.any(String),
      stream: expect.any(String),
      message: expect.any(String),
      task: 'fetch-order',
      attempt: 1,
      jobId: run.tasks[0]?.jobId,
      leaseId: expect.any(String),
      position: expect.any(String),
    })
    const place = ({ task, attempt, seq }: LogLine) => `${task} ${attempt} ${seq}`
    expect(followed.map(place).sort(), 'followed as lines').toEqual(lines.map(place).sort())
    const fromEvents = followedAsEvents.filter(({ data }) => typeof (data as LogLine).seq === 'number')
    expect(fromEvents.map(({ data }) => place(data as LogLine)).sort(), 'followed as events').toEqual(
      lines.map(place).sort(),
    )
  })

  test('its jobs, with the attempts oldest first', async () => {
    const jobs = await account.client.get<Page<Job>>(`/api/v1/jobs?run=${run.id}`)
    expect(jobs.items.map(({ task }) => task).sort()).toEqual([...order].sort())
    const payment = await account.client.get<Job>(`/api/v1/jobs/${run.tasks[1]?.jobId}`)
    expect(payment).toMatchObject({ runId: run.id, task: 'process-payment', status: 'succeeded' })
    expect(payment.attempts).toMatchObject([
      { attempt: 1, status: 'failed', error: { class: 'http_5xx' } },
      { attempt: 2, status: 'succeeded', error: null },
    ])
    for (const { workerId, queueWaitMs } of payment.attempts) {
      expect(workerId).toEqual(expect.any(String))
      expect(queueWaitMs).toBeGreaterThanOrEqual(0)
    }
    const lines = await collect(
      readLines<LogLine>(await account.client.open('GET', `/api/v1/jobs/${payment.id}/logs?attempt=2`)),
    )
    expect(lines.length).toBeGreaterThanOrEqual(2)
    for (const line of lines) expect(line).toMatchObject({ task: 'process-payment', attempt: 2 })
  })

  test('the webhook came once, signed', async () => {
    const request = await waitFor(() => requestsTo('/hook')[0])
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const payload = new Webhook(hook.secret ?? '').verify(request.body, headers)
    expect(payload).toMatchObject({
      type: 'workflow.completed',
      timestamp: expect.any(String),
      data: { runId: run.id, workflow: 'order-fulfilment', version: 1, status: 'succeeded' },
    })
    expect(() => new Webhook(`whsec_${randomBytes(32).toString('base64')}`).verify(request.body, headers)).toThrow()
    expect(() => new Webhook(hook.secret ?? '').verify(`${request.body} `, headers)).toThrow()
    const delivered = await waitFor(async () => {
      const { items } = await account.client.get<Page<Notification>>(`/api/v1/notifications?subscription=${hook.id}`)
      return items[0]?.status === 'delivered' ? items : undefined
    })
    expect(delivered).toHaveLength(1)
    expect(requestsTo('/hook')).toHaveLength(1)
  })

  test.runIf(mailIsReadable)('the mail came', async () => {
    const mail = await target.mail.waitForMail(mailTo)
    expect(mail).toMatch(/^subject: .*order-fulfilment/im)
    expect(mail).toContain(run.id)
  })

  test('one trace from the request to the shop, the jobs and the webhook', async () => {
    for (const url of ['/orders/1001', '/payments', '/notifications', '/hook']) {
      for (const request of requestsTo(url)) expect(traceOf(request), url).toBe(traceId)
    }
    const jobs = await account.client.get<Page<Job>>(`/api/v1/jobs?run=${run.id}`)
    for (const job of jobs.items) expect(job.traceId, job.task).toBe(traceId)
  })
})

describe('an artifact of the order', () => {
  const content = Buffer.from(`receipt R-7 ${randomBytes(50_000).toString('hex')}`)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const at = (url: string) => new URL(url, target.url).href
  let upload: Upload

  test('is announced, uploaded to a signed URL and completed', async () => {
    const { client } = account
    upload = await client.want<Upload>(201, 'POST', '/api/v1/artifacts', {
      body: {
        runId: run.id,
        task: 'process-payment',
        name: 'receipt.txt',
        contentType: 'text/plain',
        size: content.length,
        sha256,
      },
      headers: { traceparent },
    })
    expect(upload).toMatchObject({ uploadMethod: 'PUT', uploadHeaders: expect.any(Object) })
    const put = await fetch(at(upload.uploadUrl), { method: 'PUT', headers: upload.uploadHeaders, body: content })
    expect(put.status, await put.text()).toBeLessThan(300)
    const done = await client.want<Artifact>(200, 'POST', `/api/v1/artifacts/${upload.id}/complete`)
    expect(done).toMatchObject({ id: upload.id, name: 'receipt.txt', size: content.length, sha256 })
    const listed = await client.get<Page<Artifact>>(`/api/v1/artifacts?run=${run.id}`)
    expect(listed.items.map(({ id }) => id)).toEqual([upload.id])
  })

  test('comes from a pre-signed URL without a token, whole or in part', async () => {
    const { url } = await account.client.want<{ url: string }>(200, 'POST', `/api/v1/artifacts/${upload.id}/presign`, {
      body: { expiresIn: 60 },
    })
    const whole = await fetch(at(url))
    expect(whole.status).toBe(200)
    expect(whole.headers.get('content-disposition')).toMatch(/^attachment/)
    // An S3 server adds neither; its signed URLs are of another origin than the console (decision 0017).
    if (new URL(at(url)).origin === new URL(target.url).origin) {
      expect(whole.headers.get('x-content-type-options')).toBe('nosniff')
      expect(whole.headers.get('content-security-policy')).toMatch(/sandbox/)
    }
    expect(Buffer.from(await whole.arrayBuffer()).equals(content)).toBe(true)
    const part = await fetch(at(url), { headers: { range: 'bytes=8-10' } })
    expect(part.status).toBe(206)
    expect(await part.text()).toBe('R-7')
    const forged = new URL(at(url))
    forged.pathname = forged.pathname.slice(0, -1) + (forged.pathname.endsWith('A') ? 'B' : 'A')
    expect((await fetch(forged)).status).not.toBe(200)
  })

  test('a wrong digest is refused at the end of the upload', async () => {
    const { client } = account
    const other = await client.want<Upload>(201, 'POST', '/api/v1/artifacts', {
      body: { name: 'other.txt', sha256: createHash('sha256').update('else').digest('hex') },
    })
    await fetch(at(other.uploadUrl), { method: 'PUT', headers: other.uploadHeaders, body: 'something' })
    await client.want(422, 'POST', `/api/v1/artifacts/${other.id}/complete`)
  })

  test('is named by the job it belongs to', async () => {
    const named = await waitFor(async () => {
      const job = await account.client.get<Job>(`/api/v1/jobs/${run.tasks[1]?.jobId}`)
      return job.artifacts?.length ? job.artifacts : undefined
    })
    expect(named).toMatchObject([{ id: upload.id, name: 'receipt.txt' }])
  })
})

test.runIf(targetIsOwn)('the trace passed through the gateway and all seven services', async () => {
  const expected = [
    'edge: gateway workflow',
    'edge: /envoy.service.auth.v3.Authorization/Check',
    'edge: POST startRun',
    'scheduler: consume scheduler',
    'worker: task.execute',
    'metadata: consume metadata',
    'edge: notification.deliver',
    'edge: POST createArtifact',
  ]
  const missing = () => {
    const passed = new Set(collector.spansOf(traceId).map(({ service, name }) => `${service}: ${name}`))
    return expected.filter((name) => !passed.has(name))
  }
  await waitFor(() => missing().length === 0).catch(() => undefined)
  expect(missing()).toEqual([])
})
