import { schedulerServiceDefinition } from '@millrace/contracts'
import { createGrpcClient } from '@millrace/grpc'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Client, login, newUser, type Reply, uniqueName } from './support/client.js'
import { startTarget, type Target } from './support/target.js'

/** Quotas are set before the project is first used: what services know of them may be three seconds old. */
let target: Target
let admin: Client
let client: Client
let slug: string

beforeAll(async () => {
  target = await startTarget()
  admin = await login(target, target.admin)
}, 120_000)

beforeEach(async () => {
  const user = await newUser(target)
  client = user.client
  slug = user.project.slug
})

afterAll(() => target?.close())

const limitTo = (quotas: object) => admin.want(200, 'PATCH', `/api/v1/projects/${slug}`, { body: { quotas } })

interface Refusal {
  code: string
  errors: { code: string }[]
}

function expectRefused(reply: Reply<unknown>, quota: string): void {
  expect(reply.status, reply.text).toBe(429)
  expect(reply.body).toMatchObject({ code: 'quota_exceeded', errors: [{ code: quota }] } satisfies Refusal)
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
}

interface Usage {
  usage: Record<string, number>
  quotas: Record<string, number | null>
}

const usage = async () => (await client.get<Usage>(`/api/v1/projects/${slug}/usage`)).usage

const definition = () => ({ name: uniqueName('wf'), tasks: { a: { uses: 'noop' } } })

test('usage begins at nothing, beside the defaults', async () => {
  expect(await client.get(`/api/v1/projects/${slug}/usage`)).toEqual({
    usage: { runsPerDay: 0, storageBytes: 0, streams: 0, schedules: 0, workflows: 0, mailsPerDay: 0 },
    quotas: {
      ...{ runsPerDay: null, storageBytes: 50 * 1024 ** 3, streams: 100 },
      ...{ schedules: 10_000, workflows: 10_000, mailsPerDay: 1000 },
    },
  })
  const stranger = (await newUser(target)).client
  await stranger.want(404, 'GET', `/api/v1/projects/${slug}/usage`)
  await admin.want(200, 'GET', `/api/v1/projects/${slug}/usage`)
})

describe('runs a day', () => {
  test('of many at once exactly as many start as may', async () => {
    await limitTo({ runsPerDay: 5 })
    const { name } = await client.createWorkflow(definition())
    const start = () => client.call('POST', `/api/v1/workflows/${name}/runs`, { body: {} })
    const replies = await Promise.all(Array.from({ length: 20 }, start))
    expect(replies.filter(({ status }) => status === 202)).toHaveLength(5)
    for (const reply of replies.filter(({ status }) => status !== 202)) expectRefused(reply, 'runsPerDay')
    expect((await usage()).runsPerDay).toBe(5)
    expectRefused(
      await client.call('POST', '/api/v1/tasks/schedule', { body: { type: 'noop', payload: {} } }),
      'runsPerDay',
    )
  })

  test('a batch counts as many, and starts wholly or not at all', async () => {
    await limitTo({ runsPerDay: 3 })
    const { name } = await client.createWorkflow(definition())
    const batch = (count: number) =>
      client.call('POST', `/api/v1/workflows/${name}/runs/batch`, { body: { items: Array(count).fill({}) } })
    expect((await batch(2)).status).toBe(202)
    expectRefused(await batch(2), 'runsPerDay')
    expect((await batch(1)).status).toBe(202)
  })

  test('runs from before there was a limit count, and raising it lets more start', async () => {
    const { name } = await client.createWorkflow(definition())
    await client.startRun(name)
    await client.startRun(name)
    await limitTo({ runsPerDay: 2 })
    const start = () => client.call('POST', `/api/v1/workflows/${name}/runs`, { body: {} })
    await waitFor(async () => (await start()).status === 429, { timeoutMs: 20_000, intervalMs: 500 })
    await limitTo({ runsPerDay: 1000 })
    await waitFor(async () => (await start()).status === 202, { timeoutMs: 20_000, intervalMs: 500 })
  })
})

test('workflows: new ones are refused, new versions and the place of an archived one are not', async () => {
  await limitTo({ workflows: 2 })
  const first = definition()
  await client.createWorkflow(first)
  const replies = await Promise.all(
    Array.from({ length: 6 }, () => client.call('POST', '/api/v1/workflows', { body: definition() })),
  )
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
  const another = definition()
  expectRefused(await client.call('PUT', `/api/v1/workflows/${another.name}`, { body: another }), 'workflows')
  await client.want(200, 'PUT', `/api/v1/workflows/${first.name}`, { body: { ...first, description: 'changed' } })
  await client.want(204, 'DELETE', `/api/v1/workflows/${first.name}`)
  await client.createWorkflow(definition())
  expect((await usage()).workflows).toBe(2)
})

test('schedules', async () => {
  await limitTo({ schedules: 2 })
  const { name } = await client.createWorkflow(definition())
  const body = { workflow: name, cron: '0 4 * * *' }
  const replies = await Promise.all(Array.from({ length: 6 }, () => client.call('POST', '/api/v1/schedules', { body })))
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(2)
  expectRefused(replies.find(({ status }) => status !== 201) as Reply<unknown>, 'schedules')
  expect((await usage()).schedules).toBe(2)
})

test('storage: what is announced counts at once, what is deleted no more', async () => {
  await limitTo({ storageBytes: 1000 })
  const create = (size: number) =>
    client.call<{ id: string }>('POST', '/api/v1/artifacts', { body: { name: 'f', size } })
  const replies = await Promise.all(Array.from({ length: 5 }, () => create(400)))
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(2)
  expectRefused(replies.find(({ status }) => status !== 201) as Reply<unknown>, 'storageBytes')
  await waitFor(async () => (await usage()).storageBytes === 800, { timeoutMs: 30_000, intervalMs: 500 })
  const { id = '' } = replies.find(({ status }) => status === 201)?.body ?? {}
  await client.want(204, 'DELETE', `/api/v1/artifacts/${id}`)
  expect((await create(600)).status).toBe(201)
})

test('storage: a file whose size nobody announced is refused when it turns out too large', async () => {
  await limitTo({ storageBytes: 1000 })
  const { id } = await client.want<{ id: string }>(201, 'POST', '/api/v1/artifacts', { body: { name: 'f' } })
  const put = (bytes: number) =>
    client.call('PUT', `/api/v1/artifacts/${id}/content`, {
      raw: Buffer.alloc(bytes, 1),
      headers: { 'content-type': 'application/octet-stream' },
    })
  expectRefused(await put(1001), 'storageBytes')
  expect((await put(1000)).status).toBe(200)
})

test('streams of one project, of all services together; an ended one makes room', async () => {
  await limitTo({ streams: 2 })
  const run = await client.runTasks({ a: { uses: 'sleep', with: { duration: '10m' } } })
  const stop = new AbortController()
  const open = (path: string, signal?: AbortSignal) => client.open('GET', path, signal ? { signal } : {})
  const first = await open('/api/v1/events', stop.signal)
  const second = await open(`/api/v1/runs/${run.id}/logs?follow=true`)
  expect([first.status, second.status]).toEqual([200, 200])
  expectRefused(await client.call('GET', `/api/v1/runs/${run.id}/events`), 'streams')
  expect((await usage()).streams).toBe(2)
  stop.abort()
  const third = await waitFor(
    async () => {
      const answer = await open(`/api/v1/runs/${run.id}/events`)
      if (answer.status === 200) return answer
      await answer.text()
      return undefined
    },
    { timeoutMs: 30_000, intervalMs: 200 },
  )
  await Promise.all([second.body?.cancel(), third.body?.cancel()])
  await client.want(200, 'POST', `/api/v1/runs/${run.id}/cancel`)
})

test('streams over gRPC count with the others, and the one too many is told when to ask again', async () => {
  await limitTo({ streams: 2 })
  const run = await client.runTasks({ a: { uses: 'sleep', with: { duration: '10m' } } })
  const scheduler = createGrpcClient(schedulerServiceDefinition, target.grpcAddress, { bearer: client.token ?? '' })
  onTestFinished(() => scheduler.close())
  const watch = () => scheduler.watchRun({ runId: run.id })[Symbol.asyncIterator]()
  const overHttp = await client.open('GET', '/api/v1/events')
  const overGrpc = watch()
  expect((await overGrpc.next()).value?.snapshot?.run?.id).toBe(run.id)
  expect((await usage()).streams).toBe(2)
  await expect(watch().next()).rejects.toMatchObject({
    ...{ code: 'rate_limited', reason: 'quota_exceeded', retryAfterSeconds: 5 },
    fieldErrors: [{ code: 'streams' }],
  })
  expectRefused(await client.call('GET', `/api/v1/runs/${run.id}/events`), 'streams')
  await overGrpc.return?.()
  await waitFor(async () => (await usage()).streams === 1, { timeoutMs: 30_000, intervalMs: 200 })
  await watch().next()
  await overHttp.body?.cancel()
  await client.want(200, 'POST', `/api/v1/runs/${run.id}/cancel`)
})

test('mails a day: those of tasks and invitations together', async () => {
  await limitTo({ mailsPerDay: 2 })
  const mail = (to: string[]) =>
    client.runTasks({
      tell: { uses: 'email', with: { to, subject: 's', text: 't' }, retry: { maxAttempts: 1 } },
    })
  expect((await client.ended((await mail(['a@example.org'])).id)).status).toBe('succeeded')
  const refused = await client.ended((await mail(['a@example.org', 'b@example.org'])).id)
  expect(refused.tasks[0]?.error).toMatchObject({ code: 'quota_exceeded', class: 'non_retryable' })
  const invite = () =>
    client.call('POST', `/api/v1/projects/${slug}/invitations`, {
      body: { email: `${uniqueName('guest')}@example.org`, role: 'viewer' },
    })
  expect((await invite()).status).toBe(201)
  expectRefused(await invite(), 'mailsPerDay')
  expect((await usage()).mailsPerDay).toBe(2)
})

test('mails a day: a notification beyond them waits, and says why', async () => {
  await limitTo({ mailsPerDay: 1 })
  const { name } = await client.createWorkflow(definition())
  const channel = { type: 'email', to: ['a@example.org'] }
  const { id } = await client.want<{ id: string }>(201, 'POST', '/api/v1/subscriptions', {
    body: { events: ['workflow.completed'], filter: { workflow: name }, channel },
  })
  const notifications = async (status: string) =>
    (await client.get<{ items: { id: string }[] }>(`/api/v1/notifications?subscription=${id}&status=${status}`)).items
  for (const _ of [1, 2]) await client.ended((await client.startRun(name)).id)
  await waitFor(async () => (await notifications('delivered')).length === 1, { timeoutMs: 20_000 })
  const [waiting] = await waitFor(async () => {
    const left = [...(await notifications('pending')), ...(await notifications('failed'))]
    return left.length === 1 && left
  })
  const attempts = () =>
    client
      .get<{ attempts: { error: string | null }[] }>(`/api/v1/notifications/${waiting?.id}`)
      .then((detail) => detail.attempts)
  await waitFor(async () => (await attempts()).length > 0, { timeoutMs: 20_000 })
  expect((await attempts()).map(({ error }) => error?.split(':')[0])).toContain('quota_exceeded')
  expect((await usage()).mailsPerDay).toBe(1)
  await limitTo({ mailsPerDay: 5 })
  await client.want(202, 'POST', `/api/v1/notifications/${waiting?.id}/redeliver`)
  await waitFor(async () => (await notifications('delivered')).length === 2, { timeoutMs: 20_000 })
  expect((await usage()).mailsPerDay).toBe(2)
})

test('only the administrator of the platform changes quotas', async () => {
  const change = { body: { quotas: { workflows: null } } }
  await client.want(403, 'PATCH', `/api/v1/projects/${slug}`, change)
  await admin.want(200, 'PATCH', `/api/v1/projects/${slug}`, change)
})
