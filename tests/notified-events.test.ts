import { waitFor } from '@millrace/testkit'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type Account, type Client, newUser, uniqueName } from './support/client.js'
import { RemoteWorker } from './support/remote-worker.js'
import type { Run, RunSummary, Subscription } from './support/shapes.js'
import { startTarget, type Target, targetIsOwn } from './support/target.js'

vi.setConfig({ testTimeout: 90_000 })

const publicUrl = 'https://millrace.example'
const everySecond = '* * * * * *'
const slow = { timeoutMs: 60_000 }

let target: Target
let account: Account
let client: Client
let worker: RemoteWorker | undefined

beforeAll(async () => {
  const env = { MILLRACE_PUBLIC_URL: publicUrl, MILLRACE_BACKLOG_TASKS: '5', MILLRACE_LEASE_MS: '2000' }
  target = await startTarget(env)
}, 180_000)

beforeEach(async () => {
  account = await newUser(target)
  client = account.client
})

afterEach(async () => {
  await worker?.close()
  worker = undefined
})

afterAll(() => target?.close())

type Body = { type: string; data: Record<string, unknown> }

/** A webhook of the project: what has arrived at it, verified. */
async function receive(...events: string[]): Promise<() => Body[]> {
  const path = `/${uniqueName('receiver')}`
  const { secret } = await client.want<Subscription & { secret: string }>(201, 'POST', '/api/v1/subscriptions', {
    body: { events, channel: { type: 'webhook', url: `${target.sink.url}${path}` } },
  })
  return () =>
    target.sink.requests
      .filter(({ url }) => url === path)
      .map(({ body, headers }) => new Webhook(secret).verify(body, headers as Record<string, string>) as Body)
}

const first = (received: () => Body[], what: string): Promise<Body> => waitFor(() => received()[0], { ...slow, what })

async function register(executor: string): Promise<RemoteWorker> {
  const { key } = await client.createKey('worker')
  worker = new RemoteWorker(target.grpcAddress, key, uniqueName('worker'))
  return worker.register(executor)
}

test('of a failed run: who started it, its trace, the item that failed it and why, and where to look', async () => {
  const received = await receive('workflow.completed', 'workflow.failed')
  const to = `${uniqueName('reader')}@example.test`
  await client.want(201, 'POST', '/api/v1/subscriptions', {
    body: { events: ['workflow.failed'], channel: { type: 'email', to: [to] } },
  })
  const task = { uses: 'fail', with: { times: '${{ item }}', message: 'no luck' }, retry: { maxAttempts: 1 } }
  const { name } = await client.createWorkflow({
    name: uniqueName('told'),
    tasks: { ok: { uses: 'noop' }, each: { needs: ['ok'], uses: 'map', with: { items: [0, 0, 1], task } } },
  })
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const { id } = await client.startRun(name, {}, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` })
  const ended = (await client.ended(id)) as Run & { error: unknown; traceId: string }
  expect(ended.error).toMatchObject({ task: 'each', index: 2, code: 'map_failed', class: 'user' })
  await waitFor(() => received().length === 2, { ...slow, what: 'both events of the end' })
  const facts = { runId: id, error: ended.error, startedBy: { type: 'user', id: account.id }, traceId: ended.traceId }
  for (const { data } of received()) expect(data).toMatchObject({ status: 'failed', ...facts })
  const links = received().map(({ data }) => data.url)
  if (targetIsOwn) expect(links).toEqual(Array(2).fill(`${publicUrl}/runs/${id}?project=${account.project.id}`))
  const mail = (await target.mail.waitForMail(to)).replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=')
  expect(mail).toContain(`Subject: [Millrace] ${name} failed at each[2]`)
  for (const fact of ['no luck', `user ${account.id}`, ended.traceId]) expect(mail).toContain(fact)
  if (targetIsOwn) expect(mail).toContain(String(links[0]))
})

test('a run of a schedule says so, in the API and to receivers', async () => {
  const received = await receive('workflow.started', 'workflow.completed')
  const { name } = await client.createWorkflow({ name: uniqueName('timed'), tasks: { a: { uses: 'noop' } } })
  const schedule = await client.want<{ id: string }>(201, 'POST', '/api/v1/schedules', {
    body: { workflow: name, cron: everySecond },
  })
  await waitFor(() => received().some(({ type }) => type === 'workflow.completed'), { ...slow, what: 'an ended run' })
  await client.want(200, 'PATCH', `/api/v1/schedules/${schedule.id}`, { body: { paused: true } })
  const startedBy = { type: 'schedule', id: schedule.id }
  for (const { data } of received()) expect(data.startedBy).toEqual(startedBy)
  const runs = await client.all<RunSummary & { startedBy: unknown }>(`/api/v1/runs?workflow=${name}`)
  expect(runs.length).toBeGreaterThan(0)
  for (const run of runs) expect(run.startedBy).toEqual(startedBy)
})

test('run.late: a run that nobody works on, and the same run when it takes too long', async () => {
  const received = await receive('run.late')
  const uses = uniqueName('late')
  const { name } = await client.createWorkflow({
    ...{ name: uniqueName('late'), expectedDuration: '1s' },
    tasks: { a: { uses } },
  })
  const { id } = await client.startRun(name, {})
  expect(await first(received, 'run.late')).toMatchObject({
    ...{ type: 'run.late', data: { runId: id, workflow: name, reason: 'not_started', expectedMs: 1000 } },
  })
  const late = await register(uses)
  await waitFor(async () => (await late.lease(1_000))[0], slow)
  await waitFor(() => received().length === 2, { ...slow, what: 'the second run.late' })
  expect(received().map(({ data }) => data.reason)).toEqual(['not_started', 'running'])
  await client.want(200, 'POST', `/api/v1/runs/${id}/cancel`)
})

test('schedule.missed: a tick that was refused', async () => {
  const received = await receive('schedule.missed')
  const { name } = await client.createWorkflow({ name: uniqueName('gone'), tasks: { a: { uses: 'noop' } } })
  const { id } = await client.want<{ id: string }>(201, 'POST', '/api/v1/schedules', {
    body: { name: 'nightly', workflow: name, cron: everySecond },
  })
  await client.want(204, 'DELETE', `/api/v1/workflows/${name}`)
  const { data } = await first(received, 'schedule.missed')
  expect(data).toMatchObject({ scheduleId: id, workflow: name, name: 'nightly', reason: 'refused', count: 1 })
  expect(data.error).toMatchObject({ code: 'workflow_not_found' })
  expect(data.firstTick).toMatch(/\.000Z$/)
})

test('worker.lost: a worker that says nothing more, with what it held', async () => {
  const received = await receive('worker.lost')
  const uses = uniqueName('mortal')
  const mortal = await register(uses)
  const { id } = await client.runTasks({ a: { uses } })
  await waitFor(async () => (await mortal.lease(1_000))[0], slow)
  mortal.vanish()
  const { data } = await first(received, 'worker.lost')
  expect(data).toMatchObject({ workerIds: [mortal.workerId], tasks: 1, shared: false, count: 1 })
  await client.want(200, 'POST', `/api/v1/runs/${id}/cancel`)
})

test('queue.backlog: more ready tasks than the operator allows', async () => {
  const received = await receive('queue.backlog')
  const queue = uniqueName('slow')
  const { name } = await client.createWorkflow({
    name: uniqueName('many'),
    tasks: { a: { uses: uniqueName('nobody'), queue } },
  })
  const items = Array.from({ length: targetIsOwn ? 6 : 1000 }, () => ({}))
  await client.want(202, 'POST', `/api/v1/workflows/${name}/runs/batch`, { body: { items } })
  const { data } = await first(received, 'queue.backlog')
  expect(data).toMatchObject({ projectId: account.project.id, queue, count: 1 })
  expect(data.depth).toBeGreaterThanOrEqual(5)
  const bulk = { action: 'cancel', filter: { workflow: name } }
  await client.want(202, 'POST', '/api/v1/runs/bulk', { body: bulk })
})
