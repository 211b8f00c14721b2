import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, newUser } from './support/client.js'
import { expectProblem } from './support/problems.js'
import type { Explanation, Page, Run } from './support/shapes.js'
import { startTarget, type Target } from './support/target.js'

const definition = readFileSync(join(import.meta.dirname, '..', 'examples', 'order-saga.yaml'), 'utf8')

let target: Target
let client: Client

/** What the shop does is part of an order's id: `noship` refuses to ship, `slow` takes its time, `norefund` refuses to pay back. */
function openShop({ sink }: Target): void {
  const json = { 'content-type': 'application/json' }
  const ok = (body: unknown, delayMs = 0) => ({ status: 200, headers: json, body: JSON.stringify(body), delayMs })
  sink.otherwise(({ method, url, body }) => {
    const text = `${url} ${body}`
    if (method === 'DELETE') return { status: 204 }
    if (url === '/reservations' || url === '/payments') {
      const { order } = JSON.parse(body) as { order: string }
      return ok({ id: `${url === '/payments' ? 'P' : 'R'}-${order}` })
    }
    if (url === '/refunds') return refusesRefunds && text.includes('norefund') ? { status: 422 } : ok({})
    if (text.includes('slow')) return ok({}, 60_000)
    return ships || !text.includes('noship') ? ok({}) : { status: 422 }
  })
}

let ships = false
let refusesRefunds = true

beforeAll(async () => {
  target = await startTarget()
  openShop(target)
  client = (await newUser(target)).client
  await client.want(201, 'POST', '/api/v1/workflows', {
    raw: definition,
    headers: { 'content-type': 'application/yaml' },
  })
}, 120_000)

afterAll(() => target?.close())

const order = async (orderId: string): Promise<string> =>
  (await client.startRun('order-saga', { input: { orderId, shopUrl: target.sink.url } })).id

/** What the shop was asked for this order, in order. */
const asked = (orderId: string): string[] =>
  target.sink.requests
    .filter(({ url, body }) => `${url} ${body}`.includes(orderId))
    .map(({ method, url }) => `${method} ${url.replace(`-${orderId}`, '')}`)

const statuses = (run: Run) => Object.fromEntries(run.tasks.map(({ key, status }) => [key, status]))

const forward = ['POST /reservations', 'POST /payments', 'POST /parcels']
const back = ['POST /refunds', 'DELETE /reservations/R']

test('what fails to ship is refunded, then released; the run has failed when that is done', async () => {
  const id = await order('a-noship')
  const run = await client.ended(id)
  expect(asked('a-noship')).toEqual([...forward, ...back])
  expect(run).toMatchObject({ status: 'failed', reason: 'task_failed', error: { task: 'ship', class: 'http_4xx' } })
  expect(run.tasks.filter(({ compensates }) => compensates)).toMatchObject([
    { key: 'charge.compensate', compensates: 'charge', status: 'succeeded', name: 'Compensate charge' },
    { key: 'reserve.compensate', compensates: 'reserve', status: 'succeeded' },
  ])
  const undone = run.tasks.find(({ key }) => key === 'reserve.compensate')
  expect(Date.parse(run.finishedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(undone?.finishedAt ?? ''))
  const refund = target.sink.requests.find(({ url, body }) => url === '/refunds' && body.includes('a-noship'))
  expect(JSON.parse(refund?.body ?? '')).toMatchObject({
    payment: 'P-a-noship',
    because: expect.stringContaining('422'),
  })

  expectProblem(await client.call('POST', `/api/v1/runs/${id}/retry`), 'retry', 409, 'run_compensated')
  const letters = await client.get<Page<{ id: string; taskKey: string }>>('/api/v1/dlq?state=open')
  const shipLetter = letters.items.find(({ taskKey }) => taskKey === 'ship')
  const retried = await client.call('POST', `/api/v1/dlq/${shipLetter?.id}/retry`)
  expectProblem(retried, 'retry of its dead letter', 409, 'run_compensated')
  expect(asked('a-noship')).toHaveLength(5)

  ships = true
  const rerun = await client.want<Run>(202, 'POST', `/api/v1/runs/${id}/rerun`, { body: { from: 'ship' } })
  const second = await client.ended(rerun.id)
  ships = false
  expect(second.status).toBe('succeeded')
  // Nothing that was undone is taken over.
  expect(asked('a-noship').slice(5)).toEqual(forward)
  expect(statuses(second)).toMatchObject({ 'charge.compensate': 'skipped', 'reserve.compensate': 'skipped' })
})

test('a cancelled run stays `cancelling` until what it did is undone', async () => {
  const id = await order('b-slow')
  await waitFor(() => (asked('b-slow').length === 3 ? true : undefined))
  const explained = await client.get<Explanation>(`/api/v1/runs/${id}/explain`)
  expect(explained.tasks.find(({ key }) => key === 'charge.compensate')?.why).toBe(
    'compensates charge, if the run fails or is cancelled',
  )
  await client.want(200, 'POST', `/api/v1/runs/${id}/cancel`)
  const run = await client.ended(id)
  expect(run.status).toBe('cancelled')
  expect(asked('b-slow')).toEqual([...forward, ...back])
  expect(statuses(run)).toMatchObject({
    ship: 'cancelled',
    'charge.compensate': 'succeeded',
    'reserve.compensate': 'succeeded',
  })
})

test('a compensation that fails leaves a dead letter, the others run, and it can be retried', async () => {
  const id = await order('c-noship-norefund')
  const run = await client.ended(id)
  expect(run.status).toBe('failed')
  expect(asked('c-noship-norefund')).toEqual([...forward, ...back])
  const letters = await client.get<Page<{ id: string; taskKey: string; runId: string }>>('/api/v1/dlq?state=open')
  const letter = letters.items.find(({ runId, taskKey }) => runId === id && taskKey === 'charge.compensate')
  refusesRefunds = false
  await client.want(200, 'POST', `/api/v1/dlq/${letter?.id}/retry`)
  const again = await client.ended(id)
  refusesRefunds = true
  expect(again).toMatchObject({ status: 'failed', error: { task: 'ship' } })
  expect(statuses(again)).toMatchObject({ ship: 'failed', 'charge.compensate': 'succeeded' })
  expect(asked('c-noship-norefund')).toEqual([...forward, ...back, 'POST /refunds'])
})
