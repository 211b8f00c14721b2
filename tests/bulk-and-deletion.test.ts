import { join } from 'node:path'
import { waitFor } from '@millrace/testkit'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, newUser, uniqueName } from './support/client.js'
import type { Page, RunSummary } from './support/shapes.js'
import { startTarget, type Target } from './support/target.js'
import { filesUnder, fillProject, fullRun, large, mentions } from './support/whole-project.js'

let target: Target
let client: Client

beforeAll(async () => {
  target = await startTarget({ MILLRACE_RETENTION_INTERVAL: '500ms' })
  client = (await newUser(target)).client
}, 120_000)
afterAll(() => target?.close())

/** Deletions are published again after half a minute for what was still under way; on the stack retention looks every 15 s. */
const patience = { timeoutMs: 120_000, intervalMs: 200 }

const gone = async (by: Client, paths: readonly string[]): Promise<boolean> => {
  for (const path of paths) if ((await by.call('GET', path)).status !== 404) return false
  return true
}

describe('retention', () => {
  test('a run past its time is gone everywhere; one that is kept stays', async () => {
    const hook = { events: ['workflow.completed'], channel: { type: 'webhook', url: `${target.sink.url}/gone` } }
    await client.want(201, 'POST', '/api/v1/subscriptions', { body: hook })
    const kept = await fullRun(client)
    const short = await fullRun(client, { retention: '3s' })
    const workflow = await client.get<{ retention: unknown }>(`/api/v1/workflows/${short.workflow}`)
    expect(workflow.retention).toBe('3s')
    const pathsOf = (run: { id: string; jobId: string }) => [
      `/api/v1/runs/${run.id}`,
      `/api/v1/jobs/${run.jobId}`,
      `/api/v1/runs/${run.id}/logs`,
    ]
    await waitFor(() => gone(client, pathsOf(short)), patience)
    const items = async (path: string) => (await client.get<Page<{ runId: string }>>(path)).items.length
    await waitFor(async () => (await items(`/api/v1/artifacts?run=${short.id}`)) === 0, patience)
    await waitFor(
      async () =>
        !(await client.all<{ runId: string }>('/api/v1/notifications')).some(({ runId }) => runId === short.id),
      patience,
    )
    expect((await client.all<{ runId: string }>('/api/v1/dlq')).map(({ runId }) => runId)).toEqual([kept.id])
    for (const path of pathsOf(kept)) expect((await client.call('GET', path)).status, path).toBe(200)
    expect(await items(`/api/v1/artifacts?run=${kept.id}`)).toBe(1)
  }, 240_000)

  test('a large output that a rerun shares stays with the rerun', async () => {
    const short = await fullRun(client)
    const body = { from: 'fails' }
    const again = await client.want<RunSummary>(202, 'POST', `/api/v1/runs/${short.id}/rerun`, { body })
    const { tasks: before } = await client.ended(again.id)
    const { $artifact } = (before[0]?.output ?? {}) as { $artifact?: string }
    const { id } = await client.want<{ id: string }>(202, 'POST', '/api/v1/runs/bulk', {
      body: { action: 'delete', ids: [short.id] },
    })
    await waitFor(async () => (await client.get<{ status: string }>(`/api/v1/bulk/${id}`)).status === 'done', patience)
    await waitFor(() => gone(client, [`/api/v1/runs/${short.id}`]), patience)
    const owner = async () => (await client.get<{ runId: string }>(`/api/v1/artifacts/${$artifact}`)).runId
    await waitFor(async () => (await owner()) === again.id, patience)
    expect(await client.get<string>(`/api/v1/artifacts/${$artifact}/content`)).toBe(large)
  }, 240_000)
})

interface Bulk {
  id: string
  status: string
  matched: number
  done: number
  skipped: number
}

describe('bulk', () => {
  const bulk = async (body: object): Promise<Bulk> => {
    const { id } = await client.want<Bulk>(202, 'POST', '/api/v1/runs/bulk', { body })
    const look = async () => {
      const job = await client.get<Bulk>(`/api/v1/bulk/${id}`)
      return job.status === 'done' ? job : undefined
    }
    return waitFor(look, patience)
  }
  const statuses = async (workflow: string) => {
    const items = await client.all<RunSummary>(`/api/v1/runs?workflow=${workflow}`)
    return items.map(({ status }) => status).sort()
  }

  test('cancels, retries and deletes by filter, and says how far it is', async () => {
    const { name } = await client.createWorkflow({
      name: uniqueName('bulk'),
      tasks: { a: { uses: 'approval', with: {} } },
    })
    const items = Array.from({ length: 45 }, (_, i) => (i < 5 ? { hold: true } : {}))
    await client.want(202, 'POST', `/api/v1/workflows/${name}/runs/batch`, { body: { items } })
    const filter = { workflow: name }
    const count = { action: 'cancel', filter, dryRun: true }
    expect(await client.want(200, 'POST', '/api/v1/runs/bulk', { body: count })).toEqual({ matched: 45, more: false })
    expect(new Set(await statuses(name))).not.toContain('cancelled')
    expect(await bulk({ action: 'cancel', filter })).toMatchObject({ matched: 45, done: 45, skipped: 0, failed: 0 })
    await waitFor(async () => (await statuses(name)).every((status) => status === 'cancelled'), patience)
    expect(await bulk({ action: 'cancel', filter })).toMatchObject({ matched: 0, done: 0 })
    expect(await bulk({ action: 'retry', filter: { ...filter, status: ['failed'] } })).toMatchObject({ matched: 0 })
    expect(await bulk({ action: 'retry', filter })).toMatchObject({ matched: 45, done: 45 })
    const [one] = await client.all<RunSummary>(`/api/v1/runs?workflow=${name}`)
    await client.want(200, 'POST', `/api/v1/runs/${one?.id}/cancel`)
    await client.ended(one?.id ?? '')
    const ids = (await client.all<RunSummary>(`/api/v1/runs?workflow=${name}`)).map(({ id }) => id)
    const foreign = '0199a0a0-0000-7000-8000-000000000001'
    expect(await bulk({ action: 'delete', ids: [...ids, foreign] })).toMatchObject({
      matched: 45,
      done: 1,
      skipped: 44,
    })
    expect((await client.call('GET', `/api/v1/runs/${one?.id}`)).status).toBe(404)
    expect(await statuses(name)).toHaveLength(44)
    const { items: counts } = await client.get<{ items: { status: string; count: number }[] }>(
      `/api/v1/runs/counts?workflow=${name}`,
    )
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(44)
  }, 240_000)

  test('takes those that failed with one code, or whose error has a text', async () => {
    const failing = { uses: 'fail', with: { message: 'The Bank said no' }, retry: { maxAttempts: 1 } }
    const { name } = await client.createWorkflow({ name: uniqueName('declined'), tasks: { a: failing } })
    const [failed, held] = [await client.startRun(name), await client.startRun(name, { hold: true })]
    await client.ended(failed.id)
    const matched = async (filter: object) => {
      const body = { action: 'retry', filter: { workflow: name, ...filter }, dryRun: true }
      return (await client.want<Bulk>(200, 'POST', '/api/v1/runs/bulk', { body })).matched
    }
    expect(await matched({ errorCode: 'failed_as_asked' })).toBe(1)
    expect(await matched({ errorCode: 'timeout' })).toBe(0)
    expect(await matched({ q: 'bank SAID' })).toBe(1)
    expect(await matched({ q: 'bank SAID', status: 'cancelled' })).toBe(0)
    const filter = { workflow: name, errorCode: 'failed_as_asked' }
    expect(await bulk({ action: 'cancel', filter })).toMatchObject({ matched: 0 })
    expect(await bulk({ action: 'delete', filter })).toMatchObject({ matched: 1, done: 1 })
    expect(await statuses(name)).toEqual(['paused'])
    expect((await client.run(held.id)).status).toBe('paused')
  }, 240_000)

  test('is for those who may: viewers do nothing, operators delete nothing, others see nothing', async () => {
    const body = { action: 'delete', filter: {} }
    for (const [role, status] of [
      ['viewer', 403],
      ['operator', 403],
      ['editor', 202],
    ] as const) {
      const { key } = await client.createKey(role)
      expect((await client.as(key).call('POST', '/api/v1/runs/bulk', { body })).status, role).toBe(status)
    }
    for (const bad of [
      { action: 'delete' },
      { action: 'burn', filter: {} },
      { action: 'cancel', filter: {}, ids: ['x'] },
    ]) {
      expect((await client.call('POST', '/api/v1/runs/bulk', { body: bad })).status, JSON.stringify(bad)).toBe(422)
    }
    const { id } = await client.want<Bulk>(202, 'POST', '/api/v1/runs/bulk', { body: { action: 'cancel', filter: {} } })
    const stranger = (await newUser(target)).client
    expect((await stranger.call('GET', `/api/v1/bulk/${id}`)).status).toBe(404)
  })
})

test('lineage names parents, children and reruns', async () => {
  const inner = await client.createWorkflow({ name: uniqueName('inner'), tasks: { a: { uses: 'noop' } } })
  const run = await client.runTasks({ call: { uses: 'workflow', with: { name: inner.name } } })
  await client.ended(run.id)
  const again = await client.want<RunSummary>(202, 'POST', `/api/v1/runs/${run.id}/rerun`, { body: {} })
  await client.ended(again.id)
  interface Lineage {
    parents: RunSummary[]
    children: (RunSummary & { task: string })[]
    rerunOf: RunSummary[]
    reruns: RunSummary[]
  }
  const lineage = (id: string) => client.get<Lineage>(`/api/v1/runs/${id}/lineage`)
  const first = await lineage(run.id)
  expect(first).toMatchObject({ parents: [], rerunOf: [], reruns: [{ id: again.id }] })
  expect(first.children).toMatchObject([{ workflow: inner.name, task: 'call', status: 'succeeded' }])
  expect(await lineage(first.children[0]?.id ?? '')).toMatchObject({
    parents: [{ id: run.id, task: 'call' }],
    children: [],
  })
  expect((await lineage(again.id)).rerunOf).toMatchObject([{ id: run.id }])
  const stranger = (await newUser(target)).client
  expect((await stranger.call('GET', `/api/v1/runs/${run.id}/lineage`)).status).toBe(404)
})

describe('a project that is deleted', () => {
  test('leaves nothing in any table nor in the object store', async () => {
    const slug = uniqueName('p')
    const { id: projectId } = await client.want<{ id: string }>(201, 'POST', '/api/v1/projects', { body: { slug } })
    const inside = client.in(slug)
    await fillProject(inside, target.sink.url)
    const open = await inside.runTasks({ wait: { uses: 'approval', with: {} } })
    await inside.runUntil(open.id, 'waits', (run) => run.status === 'running')
    await client.want(204, 'DELETE', `/api/v1/projects/${slug}`)
    expect((await inside.call('GET', '/api/v1/runs')).status).toBe(404)
    const { standalone } = target
    if (standalone === undefined) return
    const pool = new pg.Pool({ connectionString: standalone.databaseUrl(), max: 1 })
    try {
      const before = await mentions(pool, projectId)
      expect(Object.keys(before).length).toBeGreaterThan(0)
      let left = before
      const nothing = async () => {
        left = await mentions(pool, projectId)
        return Object.keys(left).length === 0
      }
      await waitFor(nothing, { ...patience, intervalMs: 1000 }).catch(() => undefined)
      expect(left).toEqual({})
      expect(filesUnder(join(standalone.dataDir, 'artifacts', 'objects', projectId))).toEqual([])
    } finally {
      await pool.end()
    }
  }, 240_000)
})
