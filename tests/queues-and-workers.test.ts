import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Account, type Client, login, newUser, uniqueName } from './support/client.js'
import { RemoteWorker } from './support/remote-worker.js'
import type { Page } from './support/shapes.js'
import { startTarget, type Target } from './support/target.js'

interface WorkerView {
  id: string
  state: string
  shared: boolean
  running: number
  executors: string[]
}

interface QueueView {
  name: string
  paused: boolean
  depth: number
  workers: string[]
  weight: number | null
  defaults: unknown
}

let target: Target
let account: Account
let admin: Client
const open: RemoteWorker[] = []

beforeAll(async () => {
  target = await startTarget()
  account = await newUser(target)
  admin = await login(target, target.admin)
}, 120_000)

afterAll(async () => {
  await Promise.all(open.map((worker) => worker.close()))
  await target?.close()
})

async function startWorker(executor: string, { client }: Account = account): Promise<RemoteWorker> {
  const { key } = await client.createKey('worker')
  const worker = new RemoteWorker(target.grpcAddress, key, uniqueName('worker'))
  open.push(worker)
  return worker.register(executor)
}

const workersOf = async (client: Client): Promise<WorkerView[]> => client.all('/api/v1/workers')

const blockersOf = async (id: string) => {
  const { tasks } = await account.client.get<{ tasks: { blockers: { kind: string }[] }[] }>(
    `/api/v1/runs/${id}/explain`,
  )
  return tasks.flatMap((task) => task.blockers.map(({ kind }) => kind))
}

describe('workers', () => {
  test('are listed, paused, resumed and drained by the people of their project', async () => {
    const worker = await startWorker('held.job')
    const path = `/api/v1/workers/${worker.workerId}`
    expect(await workersOf(account.client)).toMatchObject([
      { id: worker.workerId, state: 'active', shared: false, executors: ['held.job'], running: 0 },
    ])
    expect(await account.client.want(200, 'POST', `${path}/pause`)).toMatchObject({ state: 'paused' })
    const { id } = await account.client.runTasks({ job: { uses: 'held.job' } })
    await account.client.runUntil(id, 'waits', (run) => run.tasks[0]?.status === 'queued')
    expect(await blockersOf(id)).toEqual(['worker_paused'])
    expect(await worker.lease(500)).toEqual([])
    await account.client.want(200, 'POST', `${path}/resume`)
    const [lease] = await waitFor(async () => {
      const leases = await worker.lease(1000)
      return leases.length > 0 ? leases : undefined
    })
    expect(lease?.runId).toBe(id)
    expect(await account.client.want(200, 'POST', `${path}/drain`)).toMatchObject({ state: 'draining', running: 1 })
    if (lease) await worker.succeed(lease, 'done')
    expect((await account.client.ended(id)).status).toBe('succeeded')
    const refused = await account.client.call<{ code: string }>('POST', `${path}/resume`)
    expect([refused.status, refused.body.code]).toEqual([409, 'worker_draining'])
    await worker.dispatch.deregister({ session: worker.session })
    expect((await workersOf(account.client)).map((one) => one.id)).not.toContain(worker.workerId)
    const audit = await waitFor(async () => {
      const items = await account.client.all<{ action: string; target: string }>('/api/v1/audit')
      const deeds = items.filter((item) => item.target === `worker:${worker.workerId}`).map(({ action }) => action)
      return deeds.length === 3 ? deeds : undefined
    })
    expect(new Set(audit)).toEqual(new Set(['worker.paused', 'worker.resumed', 'worker.drained']))
  })

  test('of others are not there, and roles below operator only look', async () => {
    const worker = await startWorker('walled.job')
    const path = `/api/v1/workers/${worker.workerId}/pause`
    const stranger = await newUser(target)
    expect(await workersOf(stranger.client)).toEqual([])
    for (const id of [worker.workerId, 'no-such', '..%20', 'a'.repeat(300)]) {
      expect((await stranger.client.call('POST', `/api/v1/workers/${id}/pause`)).status, id).toBe(404)
    }
    const viewer = account.client.as((await account.client.createKey('viewer')).key)
    expect((await workersOf(viewer)).map(({ id }) => id)).toContain(worker.workerId)
    const totals = async (query: string) => (await viewer.get<{ totals: unknown }>(`/api/v1/workers?${query}`)).totals
    const before = (await workersOf(account.client)).filter(({ state }) => state === 'active').length
    // Of all that could be listed, also where this page holds none of them.
    for (const query of ['', 'state=lost', 'limit=1'])
      expect(await totals(query), query).toEqual({ active: before, lost: 0, slots: before * 4, used: 0 })
    expect((await viewer.call('POST', path)).status).toBe(403)
    const operator = account.client.as((await account.client.createKey('operator')).key)
    expect((await operator.call('POST', path)).status).toBe(200)
    expect((await operator.call('PATCH', '/api/v1/queues/default', { body: { weight: 2 } })).status).toBe(403)
    expect((await account.client.as(undefined).call('GET', '/api/v1/workers')).status).toBe(401)
    expect((await account.client.call('GET', '/api/v1/workers?limit=0')).status).toBe(422)
    expect((await account.client.call('GET', '/api/v1/workers?state=happy')).status).toBe(422)
  })

  test("that are the platform's own are seen and controlled by its administrator alone", async () => {
    const owned = async () => (await workersOf(admin)).filter((one) => one.shared && one.state === 'active')
    const own = await waitFor(async () => {
      const found = await owned()
      return found.length > 0 ? found : undefined
    })
    expect((await workersOf(account.client)).some((one) => one.shared)).toBe(false)
    const counted = async () =>
      (await account.client.get<{ shared: { alive: number; slots: number } }>('/api/v1/workers')).shared
    expect(await counted()).toMatchObject({ alive: own.length })
    expect((await counted()).slots).toBeGreaterThan(0)
    for (const { id } of own) {
      expect((await account.client.call('POST', `/api/v1/workers/${id}/drain`)).status).toBe(404)
      await admin.want(200, 'POST', `/api/v1/workers/${id}/pause`)
    }
    const { id } = await account.client.runTasks({ a: { uses: 'noop' } })
    await account.client.runUntil(id, 'waits', (run) => run.tasks[0]?.status === 'queued')
    expect(await blockersOf(id)).toEqual(['worker_paused'])
    expect(await counted()).toMatchObject({ alive: 0, slots: 0 })
    // Drained they end, and the supervisor starts others in their place.
    for (const one of own) await admin.want(200, 'POST', `/api/v1/workers/${one.id}/drain`)
    expect((await account.client.ended(id, 60_000)).status).toBe('succeeded')
    // The run may have ended on the first of those that came: the tests that follow find all of them.
    await waitFor(async () => (await owned()).length === own.length, {
      timeoutMs: 60_000,
      what: 'all workers are back',
    })
    const left = await workersOf(admin)
    for (const one of own) expect(left.find(({ id }) => id === one.id)).toBeUndefined()
  })
})

describe('queues', () => {
  const find = async (name: string): Promise<QueueView | undefined> =>
    (await account.client.all<QueueView>('/api/v1/queues')).find((queue) => queue.name === name)

  test('a paused one hands out nothing, and says so, until it is resumed', async () => {
    expect(await find('default')).toMatchObject({ paused: false, workers: expect.any(Array) })
    expect(await account.client.want(200, 'POST', '/api/v1/queues/nightly/pause')).toMatchObject({ paused: true })
    const { id } = await account.client.runTasks({ a: { uses: 'noop', queue: 'nightly' }, b: { uses: 'noop' } })
    await account.client.runUntil(id, 'goes on', (run) => run.tasks[1]?.status === 'succeeded')
    expect((await account.client.run(id)).tasks[0]?.status).toBe('queued')
    expect(await blockersOf(id)).toEqual(['queue_paused'])
    expect(await find('nightly')).toMatchObject({ paused: true, depth: 1 })
    await account.client.want(200, 'POST', '/api/v1/queues/nightly/resume')
    expect((await account.client.ended(id)).status).toBe('succeeded')
  })

  test('come by name or the deepest first, page by page, with what waits in all of them', async () => {
    const { client } = await newUser(target)
    const task = (queue: string) => ({ uses: 'nobody.executes', queue })
    await client.runTasks({ a: task('a'), b: task('b'), z1: task('z'), z2: task('z') })
    const read = (query: string) => client.get<Page<QueueView> & { waiting: number }>(`/api/v1/queues?${query}`)
    await waitFor(async () => (await read('')).waiting === 4, { what: 'four tasks wait' })
    const names = ({ items }: Page<QueueView>) => items.map(({ name }) => name)
    const byName = await read('limit=3')
    expect(names(byName)).toEqual(['a', 'b', 'default'])
    expect(names(await read(`limit=3&cursor=${byName.nextCursor}`))).toEqual(['z'])
    const first = await read('order=depth&limit=2')
    expect([names(first), first.waiting]).toEqual([['z', 'a'], 4])
    const rest = await read(`order=depth&limit=2&cursor=${first.nextCursor}`)
    expect([names(rest), rest.nextCursor, rest.waiting]).toEqual([['b', 'default'], null, 4])
    expect((await client.call('GET', `/api/v1/queues?order=depth&cursor=${byName.nextCursor}`)).status).toBe(422)
    expect((await client.call('GET', '/api/v1/queues?order=age')).status).toBe(422)
  })

  test('settings are changed one by one and taken away with null', async () => {
    const path = '/api/v1/queues/tuned'
    const patch = (body: unknown, status = 200) => account.client.want<QueueView>(status, 'PATCH', path, { body })
    const defaults = { retry: { maxAttempts: 1 }, timeout: '90s' }
    expect(await patch({ weight: 2.5, profile: 'batch', defaults })).toMatchObject({ weight: 2.5, defaults })
    expect(await patch({ weight: null })).toMatchObject({ weight: null, profile: 'batch', defaults })
    const limits = { concurrency: 3, rateLimit: { limit: 50, per: '1m' } }
    expect(await patch(limits)).toMatchObject({ ...limits, profile: 'batch' })
    const { id } = await account.client.runTasks({ a: { uses: 'fail', queue: 'tuned' } })
    expect((await account.client.ended(id)).tasks[0]).toMatchObject({ status: 'failed', attempt: 1, maxAttempts: 1 })
    for (const body of [
      ...[
        {},
        { weight: 0 },
        { weight: 'x' },
        { concurrency: 0 },
        { rateLimit: { limit: 1, per: '0s' } },
        { profile: 'fast' },
        { paused: true },
      ],
      ...[
        { defaults: { timeout: '0s' } },
        { defaults: { timeout: 'soon' } },
        { defaults: { retry: { maxAttempts: 0 } } },
      ],
    ]) {
      await patch(body, 422)
    }
    expect((await account.client.call('PATCH', '/api/v1/queues/bad%20name', { body: { weight: 1 } })).status).toBe(404)
    const stranger = await newUser(target)
    const { items } = await stranger.client.get<Page<QueueView>>('/api/v1/queues')
    expect(items.map(({ name }) => name)).toEqual(['default'])
  })
})
