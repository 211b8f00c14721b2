import { randomUUID } from 'node:crypto'
import type { scheduler as proto } from '@millrace/contracts'
import { noQuotas } from '@millrace/iam-client'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createRunCreator } from '../src/create-runs.js'
import { createVersionCache } from '../src/version-cache.js'
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
  await h.call('POST', '/api/v1/workflows', noop('w'), { as })
})

const post = (path: string, body?: unknown, options = {}) => h.call('POST', path, body, { as, ...options })
const get = (path: string) => h.call('GET', path, undefined, { as })
const startRun = async (body: object = {}): Promise<{ id: string; createdAt: string }> =>
  (await post('/api/v1/workflows/w/runs', body)).body
const take = (run: { id: string; createdAt: string }, more: Partial<proto.Run> = {}) =>
  h.scheduler.rows.set(run.id, {
    run: protoRun(run.id, as.projectId, { createdAt: run.createdAt, ...more }),
    tasks: [],
  })
const started = async (runId: string) => (await h.events('workflow.started')).filter((e) => e.key === runId)
const audits = async (target: string) =>
  (await h.events('audit.recorded')).filter((e) => e.data.target === target).map((e) => e.data.action)

describe('pause and resume of a run', () => {
  test('are handed to the scheduler, and audited', async () => {
    const run = await startRun()
    take(run)
    expect(await post(`/api/v1/runs/${run.id}/pause`)).toMatchObject({ status: 200, body: { status: 'paused' } })
    expect(await post(`/api/v1/runs/${run.id}/resume`)).toMatchObject({ status: 200, body: { status: 'running' } })
    expect(await audits(`run:${run.id}`)).toEqual(['run.started', 'run.paused', 'run.resumed'])
  })

  test('of one that has ended: 409', async () => {
    const run = await startRun()
    take(run, { status: 'succeeded' })
    for (const verb of ['pause', 'resume']) {
      expect(await post(`/api/v1/runs/${run.id}/${verb}`)).toMatchObject({ status: 409, body: { code: 'run_ended' } })
    }
    expect(await audits(`run:${run.id}`)).toEqual(['run.started'])
  })

  test('of one that has not reached the scheduler are kept there and shown', async () => {
    const run = await startRun()
    expect(await post(`/api/v1/runs/${run.id}/pause`)).toMatchObject({ status: 200, body: { status: 'paused' } })
    expect((await get('/api/v1/runs?status=paused')).body.items).toMatchObject([{ id: run.id }])
    expect((await get('/api/v1/runs?status=queued')).body.items).toEqual([])
    expect((await get(`/api/v1/runs/${run.id}/explain`)).body.blockers).toMatchObject([{ kind: 'run_paused' }])
    expect(await post(`/api/v1/runs/${run.id}/resume`)).toMatchObject({ status: 200, body: { status: 'queued' } })
    expect(h.scheduler.keptCommands.slice(-2)).toEqual([`pause:${run.id}`, `resume:${run.id}`])
  })

  test('of one that is being cancelled: 409', async () => {
    const run = await startRun()
    await post(`/api/v1/runs/${run.id}/cancel`)
    expect(await post(`/api/v1/runs/${run.id}/pause`)).toMatchObject({ status: 409, body: { code: 'run_cancelling' } })
  })

  test("of another project's run: 404, and the scheduler never hears of it", async () => {
    const run = await startRun()
    const kept = h.scheduler.keptCommands.length
    for (const verb of ['pause', 'resume', 'retry', 'rerun', 'cancel']) {
      expect((await h.call('POST', `/api/v1/runs/${run.id}/${verb}`)).status).toBe(404)
      expect((await post(`/api/v1/runs/not-an-id/${verb}`)).status).toBe(404)
    }
    expect(h.scheduler.keptCommands).toHaveLength(kept)
  })
})

describe('retry of a run', () => {
  test('reopens what failed', async () => {
    const run = await startRun()
    take(run, { status: 'failed' })
    expect(await post(`/api/v1/runs/${run.id}/retry`)).toMatchObject({ status: 200, body: { status: 'running' } })
    expect(await audits(`run:${run.id}`)).toEqual(['run.started', 'run.retried'])
  })

  test('of one that did not fail, or has not begun: 409', async () => {
    const run = await startRun()
    expect(await post(`/api/v1/runs/${run.id}/retry`)).toMatchObject({ status: 409, body: { code: 'run_not_failed' } })
    take(run)
    expect(await post(`/api/v1/runs/${run.id}/retry`)).toMatchObject({ status: 409, body: { code: 'run_not_failed' } })
  })
})

describe('rerun', () => {
  const rerun = (id: string, body: object = {}, options = {}) => post(`/api/v1/runs/${id}/rerun`, body, options)
  const old = async (more: Partial<proto.Run> = {}) => {
    const run = await startRun()
    take(run, { status: 'failed', inputJson: '{"n":1}', priority: 7, labels: { a: 'b' }, ...more })
    return run.id
  }

  test('is a run of its own, with what the old one was given', async () => {
    const id = await old()
    const { status, body } = await rerun(id, { from: 'b' })
    expect(status).toBe(202)
    expect(body).toMatchObject({
      version: 1,
      status: 'queued',
      input: { n: 1 },
      priority: 7,
      labels: { a: 'b' },
      rerunOf: { runId: id, from: 'b' },
    })
    expect(body.id).not.toBe(id)
    expect(await started(body.id)).toMatchObject([{ data: { rerun: { runId: id, from: 'b', index: -1 } } }])
    expect(await audits(`run:${id}`)).toEqual(['run.started', 'run.rerun'])
    expect(await audits(`run:${body.id}`)).toEqual(['run.started'])
    expect((await get(`/api/v1/runs/${body.id}`)).body.rerunOf).toEqual({ runId: id, from: 'b' })
    expect((await rerun(id)).body.rerunOf).toEqual({ runId: id, from: null })
  })

  test('takes another input and another version, both checked', async () => {
    const id = await old()
    await h.call('PUT', '/api/v1/workflows/w', noop('w', { input: { type: 'object', required: ['m'] } }), { as })
    expect((await rerun(id)).body.version).toBe(1)
    expect(await rerun(id, { version: 'latest' })).toMatchObject({ status: 422, body: { code: 'invalid_input' } })
    expect((await rerun(id, { version: 'latest', input: { m: 1 } })).body).toMatchObject({
      version: 2,
      input: { m: 1 },
    })
    expect((await rerun(id, { version: 2, input: { m: 1 } })).body.version).toBe(2)
    expect((await rerun(id, { version: 9 })).status).toBe(404)
    expect((await rerun(id, { version: 'newest' })).status).toBe(422)
  })

  test('from a task that is not there: 422', async () => {
    const id = await old()
    for (const from of ['z', 'a[0]', '', 'a b']) {
      expect(await rerun(id, { from })).toMatchObject({ status: 422, body: { errors: [{ path: '/from' }] } })
    }
  })

  test('of a run that goes on, or has not begun: 409', async () => {
    const run = await startRun()
    expect(await rerun(run.id)).toMatchObject({ status: 409, body: { code: 'run_not_ended' } })
    take(run)
    expect(await rerun(run.id)).toMatchObject({ status: 409, body: { code: 'run_not_ended' } })
  })

  test('with the same Idempotency-Key is one run', async () => {
    const id = await old()
    const headers = { ...h.headers(as), 'idempotency-key': randomUUID() }
    const one = await rerun(id, { from: 'a' }, { headers })
    const two = await rerun(id, { from: 'a' }, { headers })
    expect(two.body.id).toBe(one.body.id)
    expect(two.headers.get('idempotency-replayed')).toBe('true')
    expect((await rerun(id, { from: 'b' }, { headers })).status).toBe(409)
  })
})

describe('a start', () => {
  test('on hold is paused until it is resumed', async () => {
    const run = await startRun({ hold: true })
    expect(run).toMatchObject({ status: 'paused' })
    expect(await started(run.id)).toMatchObject([{ data: { hold: true, startAt: '' } }])
  })

  test('may be delayed or dated; the past is now', async () => {
    const before = Date.now()
    const [delayed, dated, past] = [
      await startRun({ delaySeconds: 60 }),
      await startRun({ runAt: '2033-01-01T00:00:00+01:00' }),
      await startRun({ runAt: '2001-01-01T00:00:00Z' }),
    ]
    const startAt = async (run: { id: string }) => (await started(run.id))[0]?.data.startAt
    const at = Date.parse(String(await startAt(delayed)))
    expect(at - before).toBeGreaterThanOrEqual(60_000)
    expect(at - before).toBeLessThan(65_000)
    expect(await startAt(dated)).toBe('2032-12-31T23:00:00.000Z')
    expect(await startAt(past)).toBe('')
    expect(delayed).toMatchObject({ status: 'queued' })
  })

  test('over gRPC may be the same', async () => {
    const request = { projectId: as.projectId, workflow: 'w', hold: true, startAt: '2033-01-01T00:00:00.000Z' }
    const { runId } = await h.rpc.createRun(request)
    expect(await started(runId)).toMatchObject([{ data: { hold: true, startAt: request.startAt } }])
    await expect(h.rpc.createRun({ ...request, startAt: 'soon' })).rejects.toMatchObject({ code: 'unprocessable' })
  })
})

describe('a paused workflow', () => {
  const pause = (name = 'w') => post(`/api/v1/workflows/${name}/pause`)
  const resume = (name = 'w') => post(`/api/v1/workflows/${name}/resume`)

  test('takes runs and announces none; when it resumes they go, in order, each once', async () => {
    expect(await pause()).toMatchObject({ status: 200, body: { name: 'w', paused: true } })
    expect((await get('/api/v1/workflows?paused=true')).body.items).toMatchObject([{ name: 'w' }])
    const runs = [
      await startRun({ input: { n: '\u0000' } }),
      await startRun({ hold: true }),
      await startRun({ delaySeconds: 9 }),
    ]
    expect(runs.map((run) => (run as { status?: string }).status)).toEqual(['queued', 'paused', 'queued'])
    expect((await get('/api/v1/runs')).body.items).toHaveLength(3)
    const { body } = await get(`/api/v1/runs/${runs[0]?.id}/explain`)
    expect(body).toMatchObject({
      blockers: [{ kind: 'workflow_paused' }],
      tasks: [{ key: 'a', status: 'pending' }, {}],
    })
    for (const run of runs) expect(await started(run.id)).toEqual([])

    expect(await resume()).toMatchObject({ status: 200, body: { paused: false } })
    await waitFor(async () => (await started(runs[2]?.id ?? '')).length > 0)
    const announced = (await h.events('workflow.started')).filter((e) => runs.some((run) => run.id === e.key))
    expect(announced.map((event) => event.key)).toEqual(runs.map((run) => run.id))
    expect(announced).toMatchObject([
      { data: { inputJson: '{"n":"\\u0000"}', hold: false, workflow: 'w', version: 1, createdAt: runs[0]?.createdAt } },
      { data: { hold: true } },
      { data: { startAt: expect.stringMatching(/Z$/) } },
    ])
    expect(await audits('workflow:w')).toEqual(expect.arrayContaining(['workflow.paused', 'workflow.resumed']))
  })

  test('keeps what one does to its waiting runs: a pause, a resume, a cancel', async () => {
    await pause()
    const [held, freed, gone] = [await startRun(), await startRun({ hold: true }), await startRun()]
    const kept = h.scheduler.keptCommands.length
    expect((await post(`/api/v1/runs/${held.id}/pause`)).body.status).toBe('paused')
    expect((await post(`/api/v1/runs/${freed.id}/resume`)).body.status).toBe('queued')
    expect((await post(`/api/v1/runs/${gone.id}/cancel`)).body.status).toBe('cancelling')
    expect(h.scheduler.keptCommands).toHaveLength(kept)
    // The scheduler ends it when it is created; on hold, nothing of it starts before.
    expect(h.scheduler.keptCancels).toContain(gone.id)
    expect(await started(gone.id)).toMatchObject([{ data: { hold: true } }])
    await resume()
    await waitFor(async () => (await started(freed.id)).length > 0)
    expect(await started(held.id)).toMatchObject([{ data: { hold: true } }])
    expect(await started(freed.id)).toMatchObject([{ data: { hold: false } }])
    expect(await started(gone.id)).toHaveLength(1)
  })

  test('lets go of a run whose statement still saw it paused, and of those a crash left behind', async () => {
    const run = await startRun()
    await h.pool.query(`update run_requests set waiting = true where id = $1`, [run.id])
    await waitFor(async () => (await started(run.id)).length === 2, { timeoutMs: 5_000 })
    const { rows } = await h.pool.query('select waiting from run_requests where id = $1', [run.id])
    expect(rows).toEqual([{ waiting: false }])
  })

  test('releases nothing after it was paused again', async () => {
    await pause()
    const run = await startRun()
    await Promise.all([resume(), pause()])
    await pause()
    const before = (await started(run.id)).length
    const later = await startRun()
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await started(run.id)).toHaveLength(before)
    expect(await started(later.id)).toEqual([])
  })

  test('releases thousands, in slices', async () => {
    await pause()
    const items = Array.from({ length: 1_000 }, (_, n) => ({ input: { n } }))
    expect((await post('/api/v1/workflows/w/runs/batch', { items })).status).toBe(202)
    const count = async () =>
      (
        await h.pool.query(`select count(*)::int as n from run_requests where project_id = $1 and waiting`, [
          as.projectId,
        ])
      ).rows[0].n
    expect(await count()).toBe(1_000)
    await resume()
    await waitFor(async () => (await count()) === 0, { timeoutMs: 10_000 })
  })

  test('that is archived leaves its waiting runs on hold, not lost', async () => {
    await pause()
    const run = await startRun()
    await h.call('DELETE', '/api/v1/workflows/w', undefined, { as })
    await waitFor(async () => (await started(run.id)).length > 0, { timeoutMs: 5_000 })
    expect(await started(run.id)).toMatchObject([{ data: { hold: true } }])
    expect((await get(`/api/v1/runs/${run.id}`)).body.status).toBe('paused')
  })

  test('is one that exists', async () => {
    expect((await pause('nothing')).status).toBe(404)
    expect((await resume('Not-A-Name')).status).toBe(404)
    expect((await h.call('POST', '/api/v1/workflows/w/pause')).status).toBe(404)
  })
})

test('a new run that finds its version overtaken within a batch takes the newer one', async () => {
  const versions = createVersionCache(h.pool)
  const runCreator = createRunCreator({ pool: h.pool, versions, quotas: async () => noQuotas, onCommitted: () => {} })
  const order = { projectId: as.projectId, workflow: 'w', version: 0, input: {}, priority: 5, labels: {} }
  const orders = [0, 1, 2].map(() => ({ ...order, requestedBy: 'user:x', ip: '', requestId: '' }))
  await runCreator.createMany(orders, async () => {})
  await h.call('PUT', '/api/v1/workflows/w', noop('w', { description: 'two' }), { as })
  const made = await runCreator.createMany([...orders, { ...orders[0]!, version: 1 }], async () => {})
  expect(made.map((run) => ('version' in run ? run.version : run))).toEqual([2, 2, 2, 1])
  await runCreator.close()
})
