import { randomUUID } from 'node:crypto'
import type { scheduler as proto } from '@millrace/contracts'
import { conflict } from '@millrace/errors'
import { appendEvents } from '@millrace/events'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Harness, noop, protoRun, startHarness } from './harness.js'

let h: Harness
let as: { projectId: string }
beforeAll(async () => {
  h = await startHarness()
})
afterAll(() => h.stop())
beforeEach(async () => {
  as = { projectId: randomUUID() }
  h.scheduler.rows.clear()
  h.scheduler.onCancel = () => {}
  h.scheduler.onMiss = async () => {}
  await h.call('POST', '/api/v1/workflows', noop('w'), { as })
})

const get = (path: string) => h.call('GET', path, undefined, { as })
const startRun = async (body: object = {}): Promise<{ id: string; createdAt: string }> =>
  (await h.call('POST', '/api/v1/workflows/w/runs', body, { as })).body
const take = (run: { id: string; createdAt: string }, more: Partial<proto.Run> = {}, tasks: proto.Task[] = []) =>
  h.scheduler.rows.set(run.id, { run: protoRun(run.id, as.projectId, { createdAt: run.createdAt, ...more }), tasks })
const isTaken = async (id: string) =>
  (await h.pool.query('select taken_at from run_requests where id = $1', [id])).rows[0].taken_at !== null
const task: proto.Task = {
  id: randomUUID(),
  key: 'a',
  name: 'a',
  uses: 'noop',
  status: 'succeeded',
  attempt: 1,
  maxAttempts: 3,
  queuedAt: '2026-01-01T00:00:00.000Z',
  startedAt: '2026-01-01T00:00:01.000Z',
  finishedAt: '2026-01-01T00:00:02.000Z',
  workerId: 'wk',
  outputJson: '{"x":1}',
  rev: 4,
}

describe('a run that the scheduler does not have yet', () => {
  test('is read from its request, its tasks pending', async () => {
    const run = await startRun({ input: { n: 1 } })
    const { body } = await get(`/api/v1/runs/${run.id}`)
    expect(body).toMatchObject({
      id: run.id,
      workflow: 'w',
      version: 1,
      status: 'queued',
      reason: null,
      input: { n: 1 },
      output: null,
      error: null,
      startedAt: null,
      finishedAt: null,
    })
    expect(body.tasks).toHaveLength(2)
    expect(body.tasks[1]).toEqual({
      key: 'b',
      name: 'b',
      uses: 'noop',
      jobId: null,
      status: 'pending',
      attempt: 0,
      maxAttempts: 3,
      queuedAt: null,
      startedAt: null,
      finishedAt: null,
      workerId: null,
      input: null,
      output: null,
      error: null,
    })
    expect((await get(`/api/v1/runs/${run.id}/results`)).body).toEqual({})
    expect((await get(`/api/v1/runs/${run.id}/tasks?key=b`)).body.items).toHaveLength(1)
    const first = (await get(`/api/v1/runs/${run.id}/tasks?limit=1`)).body
    expect((await get(`/api/v1/runs/${run.id}/tasks?limit=1&cursor=${first.nextCursor}`)).body).toMatchObject({
      items: [{ key: 'b' }],
      nextCursor: null,
    })
    const explained = (await get(`/api/v1/runs/${run.id}/explain`)).body
    expect(explained).toMatchObject({
      blockers: [{ kind: 'position' }],
      tasks: [{ key: 'a' }, { key: 'b', blockers: [{ kind: 'dependency', detail: 'a' }] }],
    })
  })

  test('can be cancelled, and says so until it is taken', async () => {
    const run = await startRun()
    const cancelled = await h.call('POST', `/api/v1/runs/${run.id}/cancel`, undefined, { as })
    expect(cancelled).toMatchObject({ status: 200, body: { id: run.id, status: 'cancelling' } })
    expect(h.scheduler.keptCancels).toContain(run.id)
    expect((await get(`/api/v1/runs/${run.id}`)).body.status).toBe('cancelling')
    expect((await get('/api/v1/runs?status=cancelling')).body.items).toHaveLength(1)
    expect((await get('/api/v1/runs?status=queued')).body.items).toHaveLength(0)
    take(run, { status: 'cancelled' })
    expect((await get(`/api/v1/runs/${run.id}`)).body.status).toBe('cancelled')
  })
})

describe('a run that the scheduler has', () => {
  test('is read from there, exactly as the contract says', async () => {
    const run = await startRun()
    const error = { code: 'http_status', message: 'no', class: 'http_5xx', retryable: true }
    take(
      run,
      {
        ...{ status: 'failed', error, failedTask: 'b', startedAt: '2026-01-01T00:00:01.000Z', reason: 'timeout' },
        ...{ labels: { a: 'b' }, requestedBy: 'schedule:s', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
      },
      [
        { ...task, inputJson: '{"y":2}' },
        {
          ...task,
          id: randomUUID(),
          key: 'b',
          index: 0,
          status: 'failed',
          outputJson: '',
          error,
          workerId: '',
          finishedAt: '',
        },
      ],
    )
    const { body } = await get(`/api/v1/runs/${run.id}`)
    expect(body).toEqual({
      id: run.id,
      workflow: 'w',
      version: 1,
      status: 'failed',
      reason: 'timeout',
      input: {},
      output: null,
      error: { ...error, task: 'b' },
      priority: 5,
      labels: { a: 'b' },
      parent: null,
      rerunOf: null,
      startedBy: { type: 'schedule', id: 's' },
      traceId: 'a'.repeat(32),
      createdAt: run.createdAt,
      startedAt: '2026-01-01T00:00:01.000Z',
      finishedAt: null,
      tasks: [
        {
          key: 'a',
          name: 'a',
          uses: 'noop',
          jobId: task.id,
          status: 'succeeded',
          attempt: 1,
          maxAttempts: 3,
          queuedAt: task.queuedAt,
          startedAt: task.startedAt,
          finishedAt: task.finishedAt,
          workerId: 'wk',
          input: { y: 2 },
          output: { x: 1 },
          error: null,
        },
        {
          key: 'b',
          index: 0,
          name: 'b'.replace('b', 'a'),
          uses: 'noop',
          jobId: expect.any(String),
          status: 'failed',
          attempt: 1,
          maxAttempts: 3,
          queuedAt: task.queuedAt,
          startedAt: task.startedAt,
          finishedAt: null,
          workerId: null,
          input: null,
          output: null,
          error,
        },
      ],
    })
    expect((await get(`/api/v1/runs/${run.id}/results`)).body).toEqual({ a: { x: 1 } })
    expect((await get(`/api/v1/runs/${run.id}/tasks`)).body.items).toHaveLength(2)
    expect((await get(`/api/v1/runs/${run.id}/explain`)).body.tasks[0]).toEqual({
      key: 'a',
      status: 'succeeded',
      why: 'waits',
      blockers: [{ kind: 'no_worker', detail: 'nobody runs it' }],
    })
  })

  test('is found when it arrives between the two questions', async () => {
    const run = await startRun()
    h.scheduler.onMiss = async () => {
      take(run)
      await h.pool.query('update run_requests set taken_at = now() where id = $1', [run.id])
    }
    expect((await get(`/api/v1/runs/${run.id}`)).body.status).toBe('running')
  })

  test('is gone when the scheduler took it once and has it no more', async () => {
    const run = await startRun()
    await h.pool.query('update run_requests set taken_at = now() where id = $1', [run.id])
    expect((await get(`/api/v1/runs/${run.id}`)).status).toBe(404)
  })

  test('answers a cancel with the run, and 409 when it has ended', async () => {
    const run = await startRun()
    take(run)
    const answer = await h.call('POST', `/api/v1/runs/${run.id}/cancel`, { reason: 'wrong order' }, { as })
    expect(answer).toMatchObject({ status: 200, body: { status: 'cancelling' } })
    h.scheduler.onCancel = () => {
      throw conflict('run_ended', 'The run has ended.')
    }
    expect(await h.call('POST', `/api/v1/runs/${run.id}/cancel`, undefined, { as })).toMatchObject({
      status: 409,
      body: { code: 'run_ended' },
    })
    const audits = (await h.events('audit.recorded')).filter(
      (e) => e.data.action === 'run.cancelled' && e.data.target === `run:${run.id}`,
    )
    expect(audits).toHaveLength(1)
  })

  test('makes its request taken with its first update', async () => {
    const run = await startRun()
    expect(await isTaken(run.id)).toBe(false)
    await appendEvents(h.pool, 'scheduler', [
      {
        topic: 'workflow.updated',
        key: run.id,
        sequence: 1,
        data: { runId: run.id, projectId: as.projectId, status: 'running' },
      },
    ])
    h.bus.hint()
    await waitFor(() => isTaken(run.id))
  })
})

describe('lists', () => {
  test.each([
    ['newest', -1],
    ['oldest', 1],
  ] as const)('show every run once, the %s first, by pages, wherever it is', async (order, sign) => {
    const runs = []
    for (let i = 0; i < 25; i++) runs.push(await startRun({ input: i }))
    // Some known to both sides, some taken and marked, some not yet there.
    for (const [i, run] of runs.entries()) {
      if (i % 3 !== 0) take(run, { status: i % 2 === 0 ? 'running' : 'succeeded' })
      if (i % 3 === 2) await h.pool.query('update run_requests set taken_at = now() where id = $1', [run.id])
    }
    const seen: string[] = []
    let cursor = ''
    let pages = 0
    do {
      const { body } = await get(`/api/v1/runs?order=${order}&limit=4${cursor}`)
      expect(body.items.length).toBe(body.nextCursor === null ? 1 : 4)
      seen.push(...body.items.map((r: { id: string }) => r.id))
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`
      pages++
    } while (cursor !== '' && pages < 20)
    const expected = [...runs]
      .sort((a, b) => (`${a.createdAt}/${a.id}` < `${b.createdAt}/${b.id}` ? -sign : sign))
      .map((r) => r.id)
    expect(seen).toEqual(expected)
    const statuses = (await get('/api/v1/runs?limit=200')).body.items.map((r: { status: string }) => r.status)
    expect(statuses.filter((s: string) => s === 'queued')).toHaveLength(9)
  })

  test('filter requests as the scheduler filters runs', async () => {
    await startRun({ labels: { team: 'red', 'odd=key': 'x' } })
    await startRun({ labels: { team: 'blue' } })
    const count = async (query: string) => (await get(`/api/v1/runs?${query}`)).body.items.length
    expect(await count('label=team=red')).toBe(1)
    expect(await count('label=team=green')).toBe(0)
    expect(await count('workflow=w')).toBe(2)
    expect(await count('workflow=other')).toBe(0)
    expect(await count('status=queued')).toBe(2)
    expect(await count('status=running')).toBe(0)
    expect(await count('from=2030-01-01T00:00:00Z')).toBe(0)
    expect(await count('to=2030-01-01T00:00:00Z')).toBe(2)
    expect(await count('q=W')).toBe(2)
    await h.pool.query(`update run_requests set workflow = 'task:Ship' where labels ->> 'team' = 'red'`)
    expect(await count('q=ship')).toBe(1)
    expect(await count('errorCode=')).toBe(2)
    expect(await count('errorCode=timeout')).toBe(0)
    expect(h.scheduler.listRequests.at(-1)?.errorCode).toBe('timeout')
    expect(h.scheduler.listRequests.find((r) => r.labels.team === 'red')).toBeDefined()
    for (const bad of [
      'label=x',
      'status=odd',
      'order=odd',
      'from=yesterday',
      'from=0000-01-01T00:00:00Z',
      'limit=201',
      'cursor=x',
    ])
      expect((await get(`/api/v1/runs?${bad}`)).status).toBe(422)
  })
})

describe('a list of workflows', () => {
  test('says what each did last where that is asked for, and counts what waits behind a paused one', async () => {
    await h.call('POST', '/api/v1/workflows', noop('x'), { as })
    await h.call('POST', '/api/v1/workflows/x/pause', undefined, { as })
    await h.call('POST', '/api/v1/workflows/x/runs', {}, { as })
    const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`
    const run = await startRun()
    take(run, { createdAt: at(0), startedAt: at(1), finishedAt: at(3), status: 'failed' })
    expect((await get('/api/v1/workflows')).body.items[0].activity).toBeUndefined()
    const { body } = await get('/api/v1/workflows?activity=true')
    expect(body.items).toMatchObject([
      { name: 'x', activity: { open: 1, last: null, p95: null, runs: [], nextAt: null } },
      {
        name: 'w',
        activity: {
          open: 0,
          last: { id: run.id, status: 'failed', createdAt: at(0), finishedAt: at(3) },
          p95: 2_000,
          runs: [{ status: 'failed', durationMs: 2_000 }],
        },
      },
    ])
  })
})

describe('what is not there', () => {
  test.each(['', '/results', '/tasks', '/explain', '/events'])(
    'GET /runs/{id}%s is 404 for unknown, odd and foreign ids',
    async (suffix) => {
      const run = await startRun()
      for (const id of [randomUUID(), 'nonsense', '%00x', run.id]) {
        const answer = await h.call('GET', `/api/v1/runs/${id}${suffix}`, undefined, {
          as: { projectId: randomUUID() },
        })
        expect([400, 404]).toContain(answer.status)
        expect(answer.body.requestId).toBeDefined()
      }
    },
  )

  test('cancel of unknown and foreign runs reaches no scheduler', async () => {
    const run = await startRun()
    for (const id of [randomUUID(), run.id]) {
      expect(
        (await h.call('POST', `/api/v1/runs/${id}/cancel`, undefined, { as: { projectId: randomUUID() } })).status,
      ).toBe(404)
      expect(h.scheduler.keptCancels).not.toContain(id)
    }
  })
})
