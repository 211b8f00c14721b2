import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Harness, noop, startHarness } from './harness.js'

let h: Harness
let as: { projectId: string; userId: string }
beforeAll(async () => {
  h = await startHarness()
})
afterAll(() => h.stop())
beforeEach(async () => {
  as = { projectId: randomUUID(), userId: randomUUID() }
  await h.call('POST', '/api/v1/workflows', noop('plain'), { as })
  await h.call(
    'POST',
    '/api/v1/workflows',
    noop('strict', { input: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } }),
    { as },
  )
})

const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
  h.call('POST', path, body, { as, headers })
const get = (path: string) => h.call('GET', path, undefined, { as })
const runs = async () =>
  (await h.pool.query('select * from run_requests where project_id = $1 order by id', [as.projectId])).rows

describe('a batch', () => {
  const batch = (items: unknown, name = 'strict', headers = {}) =>
    post(`/api/v1/workflows/${name}/runs/batch`, { items }, headers)

  test('answers for each in order, and what is wrong with one does not touch the others', async () => {
    const good = { input: { id: 'x' } }
    const { status, body } = await batch([
      good,
      { input: { id: 7 } },
      { ...good, nonsense: 1 },
      'x',
      { ...good, version: 9 },
      { ...good, labels: { a: 'half \ud800' } },
      { ...good, delaySeconds: 1, runAt: '2030-01-01T00:00:00Z' },
      { ...good, hold: true, priority: 0, labels: { n: '1' } },
      { input: { id: 'x'.repeat(300_000) } },
    ])
    expect(status).toBe(202)
    expect(body.items).toMatchObject([
      { id: expect.any(String) },
      { error: { code: 'invalid_input', message: expect.any(String), errors: [{ path: '/input/id' }] } },
      { error: { code: 'invalid_request', errors: [{ path: '/nonsense', code: 'unknown_field' }] } },
      { error: { code: 'invalid_request' } },
      { error: { code: 'version_not_found' } },
      { error: { code: 'invalid_labels' } },
      { error: { code: 'invalid_request' } },
      { id: expect.any(String) },
      { error: { code: 'input_too_large' } },
    ])
    const made = await runs()
    expect(made.map((run) => run.id)).toEqual([body.items[0].id, body.items[7].id])
    expect(made[1]).toMatchObject({ hold: true, priority: 0, labels: { n: '1' } })
    expect((await h.events('workflow.started')).filter((e) => e.data.projectId === as.projectId)).toHaveLength(2)
    const audits = (await h.events('audit.recorded')).filter((e) => e.key === as.projectId).map((e) => e.data)
    expect(audits.at(-1)).toMatchObject({ action: 'run.batch_started', target: 'workflow:strict' })
  })

  test('of a thousand is one transaction; of more, of none and of nothing', async () => {
    const items = Array.from({ length: 1_000 }, (_, n) => ({ input: n }))
    const { body } = await batch(items, 'plain')
    expect(body.items).toHaveLength(1_000)
    const made = await runs()
    expect(made.map((run) => [run.id, run.input])).toEqual(items.map((item, n) => [body.items[n].id, item.input]))
    const { rows } = await h.pool.query(
      'select count(distinct xmin::text)::int as n from run_requests where project_id = $1',
      [as.projectId],
    )
    expect(rows).toEqual([{ n: 1 }])
    expect((await batch([...items, {}], 'plain')).status).toBe(422)
    expect(await batch([], 'plain')).toMatchObject({ status: 202, body: { items: [] } })
    expect((await batch({}, 'plain')).status).toBe(422)
    expect((await batch([{}], 'absent')).status).toBe(404)
    expect((await batch([], 'absent')).status).toBe(404)
  })

  test('with an Idempotency-Key is made once', async () => {
    const headers = { ...h.headers(as), 'idempotency-key': randomUUID() }
    const [first, again] = [await batch([{}, {}], 'plain', headers), await batch([{}, {}], 'plain', headers)]
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await runs()).toHaveLength(2)
    expect(await batch([{}], 'plain', headers)).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } })
  })
})

describe('a one-off job', () => {
  const schedule = (body: unknown, headers = {}) => post('/api/v1/tasks/schedule', body, headers)
  const definitionOf = async (runId: string) => {
    const run = (await runs()).find(({ id }) => id === runId)
    const { definitionJson } = await h.rpc.getVersion({ versionId: run.version_id })
    return { run, definition: JSON.parse(definitionJson) }
  }

  test('is a run of a workflow that nobody sees', async () => {
    const payload = { url: 'https://x.example/${{ secrets.a }}', deep: [{ n: 1.5, nul: '\u0000' }] }
    const { status, body } = await schedule({ type: 'mail.send', payload, retries: 2, priority: 9, delaySeconds: 60 })
    expect(status).toBe(202)
    expect(Object.keys(body)).toEqual(['runId'])
    const { run, definition } = await definitionOf(body.runId)
    expect(run).toMatchObject({ workflow: 'task:mail.send', version: 1, priority: 9, input: payload })
    expect(run.start_at).not.toBeNull()
    expect(definition.tasks.task).toMatchObject({ uses: 'mail.send', with: '${{ input }}', retry: { maxAttempts: 3 } })
    expect((await get(`/api/v1/runs/${body.runId}`)).body).toMatchObject({
      workflow: 'task:mail.send',
      input: payload,
      tasks: [{ key: 'task', uses: 'mail.send', maxAttempts: 3 }],
    })
    expect((await get('/api/v1/runs?workflow=task:mail.send')).body.items).toHaveLength(1)
    expect((await get('/api/v1/workflows')).body.items.map((w: { name: string }) => w.name)).toEqual([
      'strict',
      'plain',
    ])
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/runs'],
      ['POST', '/pause'],
      ['GET', '/versions'],
      ['POST', '/hooks'],
    ] as const) {
      expect((await h.call(method, `/api/v1/workflows/task:mail.send${path}`, undefined, { as })).status).toBe(404)
    }
  })

  test('shares its version with others of its kind, however many come at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        schedule({ type: 'shared', payload: { n }, ...(n % 2 ? { retries: 0 } : {}) }),
      ),
    )
    expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(202))
    const { rows } = await h.pool.query(
      `select v.definition -> 'tasks' -> 'task' -> 'retry' as retry from workflow_versions v join workflows f on f.id = v.workflow_id
       where f.project_id = $1 and f.name = 'task:shared' order by v.version`,
      [as.projectId],
    )
    expect(rows.map((row) => row.retry)).toEqual(expect.arrayContaining([null, { maxAttempts: 1 }]))
    expect(rows).toHaveLength(2)
  })

  test.each([
    [{}, '/type'],
    [{ type: '' }, '/type'],
    [{ type: 'no space' }, '/type'],
    [{ type: 'map', payload: {} }, '/type'],
    [{ type: 'x', payload: [] }, '/payload'],
    [{ type: 'x', payload: 'text' }, '/payload'],
    [{ type: 'x', retries: -1 }, '/retries'],
    [{ type: 'x', retries: 1_000 }, '/retries'],
    [{ type: 'x', priority: 10 }, '/priority'],
    [{ type: 'x', delaySeconds: -1 }, '/delaySeconds'],
    [{ type: 'x', queue: 'fast' }, '/queue'],
  ])('refuses %j', async (body, path) => {
    const answer = await schedule(body)
    expect(answer.status).toBe(422)
    expect(answer.body.errors[0].path).toBe(path)
  })

  test('refuses a payload over the bound of inputs', async () => {
    const large = await schedule({ type: 'x', payload: { text: 'x'.repeat(300_000) } })
    expect(large).toMatchObject({ status: 422, body: { code: 'input_too_large' } })
  })

  test('with an Idempotency-Key is made once', async () => {
    const headers = { ...h.headers(as), 'idempotency-key': randomUUID() }
    const [first, again] = [await schedule({ type: 'once' }, headers), await schedule({ type: 'once' }, headers)]
    expect(again.body).toEqual(first.body)
    expect(await runs()).toHaveLength(1)
  })
})

describe('building step by step', () => {
  const draft = async (name = 'built') => (await post('/api/workflows', { name })).body.id as string
  const task = async (workflowId: string, name: string, more = {}) =>
    (await post('/api/tasks', { workflowId, name, ...more })).body.id as string
  const depend = (workflowId: string, taskId: string, dependsOnTaskId: string) =>
    post('/api/dependencies', { workflowId, taskId, dependsOnTaskId })

  test('publishes and runs; a new version only when it changed', async () => {
    const id = await draft()
    const b = await task(id, 'Second step', { uses: 'transform', with: { value: '${{ tasks.a.output }}' } })
    const a = await task(id, 'a')
    expect(await depend(id, b, a)).toMatchObject({ status: 201, body: { workflowId: id, taskId: b } })
    expect((await depend(id, b, a)).status).toBe(201)
    const first = await post(`/api/workflows/${id}/start`, { input: { n: 1 } })
    expect(first).toMatchObject({
      status: 202,
      body: { workflow: 'built', version: 1, status: 'queued', input: { n: 1 } },
    })
    expect((await get('/api/v1/workflows/built')).body.definition).toEqual({
      name: 'built',
      tasks: {
        'Second-step': {
          name: 'Second step',
          uses: 'transform',
          needs: ['a'],
          with: { value: '${{ tasks.a.output }}' },
        },
        a: { uses: 'noop' },
      },
    })
    expect((await post(`/api/workflows/${id}/start`)).body).toMatchObject({ version: 1 })
    await task(id, 'c')
    const third = await post(`/api/workflows/${id}/start`)
    expect(third.body).toMatchObject({ version: 2 })
    expect(new Set((await runs()).map((run) => run.id)).size).toBe(3)
  })

  test('refuses a cycle at the dependency that closes it, also when two come at once', async () => {
    const id = await draft()
    const [a, b, c] = [await task(id, 'a'), await task(id, 'b'), await task(id, 'c')]
    expect((await depend(id, b, a)).status).toBe(201)
    expect((await depend(id, c, b)).status).toBe(201)
    expect(await depend(id, a, c)).toMatchObject({
      status: 422,
      body: {
        code: 'invalid_definition',
        errors: [{ code: 'cycle', message: expect.stringContaining('a → b → c → a') }],
      },
    })
    expect((await depend(id, a, a)).status).toBe(422)
    const [d, e] = [await task(id, 'd'), await task(id, 'e')]
    const both = await Promise.all([depend(id, d, e), depend(id, e, d)])
    expect(both.map((answer) => answer.status).sort()).toEqual([201, 422])
    expect((await post(`/api/workflows/${id}/start`)).status).toBe(202)
  })

  test('tells what is not there and what is there already', async () => {
    const [id, another] = [await draft(), await draft('other')]
    const a = await task(id, 'a')
    const b = await task(another, 'b')
    expect(await post('/api/tasks', { workflowId: id, name: 'a' })).toMatchObject({
      status: 409,
      body: { code: 'task_exists' },
    })
    expect((await depend(id, a, b)).status).toBe(404)
    expect((await depend(id, a, randomUUID())).status).toBe(404)
    expect((await depend(id, a, 'x')).status).toBe(404)
    expect((await post('/api/tasks', { workflowId: randomUUID(), name: 'a' })).status).toBe(404)
    expect((await h.call('POST', '/api/tasks', { workflowId: id, name: 'x' })).status).toBe(404)
    expect((await h.call('POST', `/api/workflows/${id}/start`)).status).toBe(404)
    expect(await post('/api/workflows', { name: 'plain' })).toMatchObject({
      status: 409,
      body: { code: 'workflow_exists' },
    })
    expect((await post('/api/workflows', { name: 'Not a name' })).status).toBe(422)
  })

  test('checks the whole when it starts', async () => {
    const id = await draft()
    expect(await post(`/api/workflows/${id}/start`)).toMatchObject({
      status: 422,
      body: { code: 'invalid_definition' },
    })
    await task(id, 'a', { uses: 'http', with: { url: 7 } })
    expect(await post(`/api/workflows/${id}/start`)).toMatchObject({
      status: 422,
      body: { code: 'invalid_definition', errors: [{ path: '/tasks/0/with/url' }] },
    })
    expect((await get('/api/v1/workflows/built')).status).toBe(404)
  })

  test("does not overwrite a workflow that came meanwhile, and survives its own's archiving", async () => {
    const id = await draft()
    await task(id, 'a')
    await post('/api/v1/workflows', noop('built'))
    expect(await post(`/api/workflows/${id}/start`)).toMatchObject({ status: 409, body: { code: 'workflow_exists' } })
    await h.call('DELETE', '/api/v1/workflows/built', undefined, { as })
    expect((await post(`/api/workflows/${id}/start`)).status).toBe(202)
    await h.call('DELETE', '/api/v1/workflows/built', undefined, { as })
    expect((await post(`/api/workflows/${id}/start`)).body).toMatchObject({ version: 1 })
  })

  test('with an Idempotency-Key makes one of each', async () => {
    const key = () => ({ ...h.headers(as), 'idempotency-key': randomUUID() })
    const twice = async (path: string, body: object) => {
      const headers = key()
      const [first, again] = [await post(path, body, headers), await post(path, body, headers)]
      expect(again.body).toEqual(first.body)
      return first.body.id as string
    }
    const id = await twice('/api/workflows', { name: 'built' })
    await twice('/api/tasks', { workflowId: id, name: 'a' })
    await twice(`/api/workflows/${id}/start`, {})
    expect(await runs()).toHaveLength(1)
  })
})
