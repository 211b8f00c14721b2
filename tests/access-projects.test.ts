import { randomUUID } from 'node:crypto'
import { type Route, routes } from '@millrace/routes'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, newUser, uniqueName } from './support/client.js'
import { expectProblem } from './support/problems.js'
import { bodies, fillPath, hasParams, title } from './support/route-calls.js'
import type { Job, Notification, Page, Run, Subscription, Upload } from './support/shapes.js'
import { startTarget, type Target } from './support/target.js'

let target: Target
let one: Account
let other: Account
/** Things of the first project, by the path that they are found under. */
let ids: Record<string, Record<string, string>>

beforeAll(async () => {
  target = await startTarget()
  ;[one, other] = await Promise.all([newUser(target), newUser(target)])
  const { client } = one
  const { name } = await client.createWorkflow({ name: uniqueName('secret'), tasks: { a: { uses: 'noop' } } })
  const subscription = await client.want<Subscription>(201, 'POST', '/api/v1/subscriptions', {
    body: { events: ['workflow.completed'], channel: { type: 'webhook', url: `${target.sink.url}/hook` } },
  })
  const { id } = await client.startRun(name)
  const run: Run = await client.ended(id)
  const jobId = run.tasks[0]?.jobId ?? ''
  // The record is written behind the run.
  await waitFor(async () => (await client.call('GET', `/api/v1/jobs/${jobId}`)).status === 200, { timeoutMs: 60_000 })
  const failed = await client.runTasks({ a: { uses: 'fail', retry: { maxAttempts: 1 } } })
  await client.ended(failed.id)
  const letter = (await client.get<Page<{ id: string }>>('/api/v1/dlq')).items[0]
  const make = (path: string, body: object, status = 201) => client.want<{ id: string }>(status, 'POST', path, { body })
  const draft = await make('/api/workflows', { name: uniqueName('draft') })
  const hook = await client.want<{ id: string }>(201, 'POST', `/api/v1/workflows/${name}/hooks`)
  const artifact = await client.want<Upload>(201, 'POST', '/api/v1/artifacts', { body: { name: 'a.txt' } })
  const key = await client.createKey('viewer')
  const account = await make('/api/v1/service-accounts', { name: 'machine', role: 'viewer' })
  const schedule = await make('/api/v1/schedules', { workflow: name, cron: '0 0 1 1 *' })
  const bulk = await make('/api/v1/runs/bulk', { action: 'retry', filter: { workflow: name } }, 202)
  const notification = await waitFor(
    async () => (await client.get<Page<Notification>>(`/api/v1/notifications?run=${id}`)).items[0],
  )
  ids = {
    '/api/v1/bulk': { id: bulk.id },
    '/api/v1/workflows': { name, from: '1', to: '1', id: hook.id },
    '/api/workflows': { id: draft.id },
    '/api/v1/dlq': { id: letter?.id ?? '' },
    '/api/v1/runs': { id },
    '/api/v1/jobs': { id: jobId },
    '/api/v1/subscriptions': { id: subscription.id },
    '/api/v1/notifications': { id: notification.id },
    '/api/v1/artifacts': { id: artifact.id },
    '/api/v1/schedules': { id: schedule.id },
    '/api/v1/api-keys': { id: key.id },
    '/api/v1/service-accounts': { id: account.id },
    '/api/v1/projects': { slug: one.project.slug, userId: one.id },
  }
}, 180_000)
afterAll(() => target?.close())

const paramsOf = ({ path }: Route) => Object.entries(ids).find(([prefix]) => path.startsWith(prefix))?.[1]
const closed = routes.filter(({ access }) => access !== 'open')
const byId = closed.filter((route) => hasParams(route) && route.access !== 'admin')

test('things of a project are there for their own project', async () => {
  for (const route of byId.filter(({ method, stream }) => method === 'GET' && stream === undefined)) {
    const path = fillPath(route, paramsOf(route) ?? {})
    expect((await one.client.call('GET', path)).status, path).toBe(200)
  }
})

// These make what is absent, in the caller's own project: the other's of the same name stays untouched.
const makesItsOwn = ['putWorkflow', 'putSecret', 'pauseQueue', 'resumeQueue', 'updateQueue']
// A one-time token names nothing of a project: a bad one is 422, whoever shows it.
const byToken = ['acceptInvitation']
const apart = [...makesItsOwn, ...byToken]
test.each(
  byId.filter(({ operationId }) => !apart.includes(operationId)).map((route) => [title(route), route] as const),
)("%s: 404 for another project's member", async (name, route) => {
  const body = bodies[route.operationId]
  const path = fillPath(route, paramsOf(route) ?? {})
  const reply = await other.client.call(route.method, path, body === undefined ? {} : { body })
  expectProblem(reply, name, 404)
  const absent = fillPath(route, {
    name: uniqueName('absent'),
    id: randomUUID(),
    slug: uniqueName('no'),
    userId: randomUUID(),
  })
  const nothing = await other.client.call(route.method, absent, body === undefined ? {} : { body })
  expect((reply.body as { code: string }).code, 'nothing tells it from what is not there').toBe(
    expectProblem(nothing, `${name} absent`, 404).code,
  )
})

test('things of a project are untouched afterwards, and in no list of the other', async () => {
  expect(await one.client.run(ids['/api/v1/runs']?.id ?? '')).toMatchObject({ status: 'succeeded' })
  await one.client.get(`/api/v1/artifacts/${ids['/api/v1/artifacts']?.id}`)
  await one.client.get(`/api/v1/subscriptions/${ids['/api/v1/subscriptions']?.id}`)
  const ofTheirOwn = ['listAudit', 'listProjects', 'listQueues', 'listSessions']
  for (const route of closed.filter(
    ({ list, access, projectParam }) => list && access !== 'admin' && projectParam === undefined,
  )) {
    if (hasParams(route) || ofTheirOwn.includes(route.operationId)) continue
    expect((await other.client.get<Page<unknown>>(route.path)).items, route.path).toEqual([])
  }
  // Everybody has a default queue; what stands in it is their own.
  const queues = await other.client.get<Page<{ name: string; depth: number }>>('/api/v1/queues')
  expect(queues.items.map(({ name, depth }) => [name, depth])).toEqual([['default', 0]])
  const filtered = await other.client.get<Page<unknown>>(`/api/v1/jobs?run=${ids['/api/v1/runs']?.id}`)
  expect(filtered.items).toEqual([])
})

test('naming the other project does not help', async () => {
  const there = other.client.in(one.project.slug)
  expectProblem(await there.call('GET', '/api/v1/runs'), 'a project one is not in', 404, 'project_not_found')
  const key = await other.client.createKey('owner')
  expectProblem(await other.client.as(key.key).in(one.project.slug).call('GET', '/api/v1/runs'), 'a key elsewhere', 404)
})

test("an artifact cannot name another project's run", async () => {
  const runId = ids['/api/v1/runs']?.id ?? ''
  const body = { name: 'planted.txt', runId, task: 'a' }
  expectProblem(await other.client.call('POST', '/api/v1/artifacts', { body }), 'for a foreign run', 404)
  expect((await other.client.get<Page<unknown>>('/api/v1/artifacts')).items).toEqual([])
  const files = await one.client.get<Page<unknown>>(`/api/v1/artifacts?run=${runId}`)
  const job = await one.client.get<Job>(`/api/v1/jobs/${ids['/api/v1/jobs']?.id}`)
  expect([files.items, job.artifacts]).toEqual([[], []])
})
