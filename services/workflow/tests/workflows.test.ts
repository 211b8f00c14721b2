import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, noop, startHarness } from './harness.js'

let h: Harness
beforeAll(async () => {
  h = await startHarness()
})
afterAll(() => h.stop())

const yaml = `name: from-yaml
description: In YAML
tags: [shop, daily]
tasks:
  fetch: { uses: http, with: { url: "https://example.com/\${{ input.id }}" } }
  pay: { uses: payments.charge, needs: [fetch], timeout: 30s }
`

describe('creating', () => {
  test('takes YAML, answers with the normalised definition and its graph', async () => {
    const made = await h.call('POST', '/api/v1/workflows', yaml, { type: 'application/yaml' })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      name: 'from-yaml',
      version: 1,
      description: 'In YAML',
      tags: ['shop', 'daily'],
      paused: false,
    })
    expect(made.body.graph).toEqual({
      nodes: [
        { key: 'fetch', uses: 'http', level: 0 },
        { key: 'pay', uses: 'payments.charge', level: 1 },
      ],
      edges: [{ from: 'fetch', to: 'pay' }],
    })
    expect(made.body.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const read = await h.call('GET', '/api/v1/workflows/from-yaml')
    expect(read.body).toEqual(made.body)
  })

  test('refuses a name that is taken, also when two come at once', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => h.call('POST', '/api/v1/workflows', noop('twice'))))
    expect(answers.map((a) => a.status).sort()).toEqual([201, 409, 409])
    expect(answers.find((a) => a.status === 409)?.body.code).toBe('workflow_exists')
  })

  test('refuses a name that is a path of the API', async () => {
    const answer = await h.call('POST', '/api/v1/workflows', noop('validate'))
    expect([answer.status, answer.body.code]).toEqual([422, 'reserved_name'])
    expect((await h.call('GET', '/api/v1/workflows/validate')).status).toBe(405)
  })

  test('says everything that is wrong, with lines', async () => {
    const bad = await h.call(
      'POST',
      '/api/v1/workflows',
      'name: bad\ntasks:\n  a: { uses: noop, needs: [b] }\n  b: { uses: noop, needs: [a] }\n  c: { uses: shell, with: { command: ls } }\n  d: { uses: noop, needs: [x] }\n',
      { type: 'application/yaml' },
    )
    expect(bad.status).toBe(422)
    expect(bad.headers.get('content-type')).toContain('application/problem+json')
    expect(bad.body.errors).toEqual([
      { path: '/tasks/d/needs/0', code: 'unknown_need', message: 'there is no task x', line: 6 },
      { path: '/tasks/a/needs', code: 'cycle', message: 'these tasks wait for each other: a → b → a', line: 3 },
    ])
  })

  test.each([
    ['{"name":', 'application/json', 400],
    ['a: [', 'application/yaml', 422],
    ['[]', 'application/json', 422],
    ['name: x', 'text/plain', 415],
    ['', 'application/json', 400],
    [`{"name":"x","description":"${'x'.repeat(1_100_000)}","tasks":{}}`, 'application/json', 422],
    ['{"name":"nul","description":"a\\u0000b","tasks":{"a":{"uses":"noop"}}}', 'application/json', 422],
  ])('answers %s as %s with %i', async (body, type, status) => {
    const answer = await h.call('POST', '/api/v1/workflows', body, { type })
    expect(answer.status).toBe(status)
    expect(answer.body.code).toMatch(/^[a-z_]+$/)
  })

  test('keeps what Postgres text could not', async () => {
    const body = { name: 'odd', tasks: { a: { uses: 'noop', with: { output: 'nul \u0000 and half \ud800' } } } }
    const made = await h.call('POST', '/api/v1/workflows', body)
    expect(made.status).toBe(201)
    const read = await h.call('GET', '/api/v1/workflows/odd')
    expect(read.body.definition.tasks.a.with.output).toBe(body.tasks.a.with.output)
  })

  test('answers a repeated Idempotency-Key with the first answer', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const as = h.headers({ userId: randomUUID() })
    const first = await h.call('POST', '/api/v1/workflows', noop('keyed'), { headers: { ...as, ...headers } })
    const again = await h.call('POST', '/api/v1/workflows', noop('keyed'), { headers: { ...as, ...headers } })
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
  })
})

describe('writing versions', () => {
  test('makes the workflow, then a version for each change and none without', async () => {
    const put = (body: unknown) => h.call('PUT', '/api/v1/workflows/steps', body)
    const first = await put(noop('steps'))
    expect([first.status, first.body.version]).toEqual([201, 1])
    const same = await put({ tasks: { b: { needs: ['a'], uses: 'noop' }, a: { uses: 'noop' } }, name: 'steps' })
    expect([same.status, same.body.version]).toEqual([200, 1])
    const next = await put(noop('steps', { description: 'second' }))
    expect([next.status, next.body.version]).toEqual([200, 2])
    const old = await h.call('GET', '/api/v1/workflows/steps?version=1')
    expect(old.body).toMatchObject({ version: 1, latestVersion: 2 })
    expect(old.body.definition.description).toBeUndefined()
    const versions = await h.call('GET', '/api/v1/workflows/steps/versions?limit=1')
    expect(versions.body.items.map((v: { version: number }) => v.version)).toEqual([2])
    const more = await h.call('GET', `/api/v1/workflows/steps/versions?cursor=${versions.body.nextCursor}`)
    expect(more.body).toMatchObject({ items: [{ version: 1 }], nextCursor: null })
    expect((await h.call('GET', '/api/v1/workflows/steps?version=3')).status).toBe(404)
  })

  test('numbers versions without gap or double when many write at once', async () => {
    const writes = Array.from({ length: 12 }, (_, i) =>
      h.call('PUT', '/api/v1/workflows/race', noop('race', { description: `v${i}` })),
    )
    const answers = await Promise.all(writes)
    expect(answers.map((a) => a.body.version).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, i) => i + 1),
    )
    expect(answers.filter((a) => a.status === 201)).toHaveLength(1)
  })

  test('refuses a body of another name', async () => {
    const answer = await h.call('PUT', '/api/v1/workflows/one', noop('other'))
    expect([answer.status, answer.body.code]).toEqual([422, 'name_mismatch'])
  })
})

describe('reading', () => {
  test('lists by page, text, tag', async () => {
    const as = { projectId: randomUUID() }
    for (const [i, tag] of ['red', 'blue', 'red'].entries()) {
      await h.call('POST', '/api/v1/workflows', noop(`item-${i}`, { tags: [tag], description: `Number ${i}` }), { as })
    }
    const names = async (query: string) =>
      (await h.call('GET', `/api/v1/workflows${query}`, undefined, { as })).body.items.map(
        (w: { name: string }) => w.name,
      )
    expect(await names('')).toEqual(['item-2', 'item-1', 'item-0'])
    expect(await names('?tag=red')).toEqual(['item-2', 'item-0'])
    expect(await names('?q=NUMBER%201')).toEqual(['item-1'])
    expect(await names('?paused=true')).toEqual([])
    const page = await h.call('GET', '/api/v1/workflows?limit=2', undefined, { as })
    expect(await names(`?limit=2&cursor=${page.body.nextCursor}`)).toEqual(['item-0'])
    expect((await h.call('GET', '/api/v1/workflows?limit=0', undefined, { as })).status).toBe(422)
    expect((await h.call('GET', '/api/v1/workflows?cursor=nonsense', undefined, { as })).status).toBe(422)
  })

  test('validates without storing', async () => {
    const good = await h.call('POST', '/api/v1/workflows/validate', noop('check'))
    expect(good).toMatchObject({ status: 200, body: { valid: true, errors: [] } })
    const bad = await h.call('POST', '/api/v1/workflows/validate', {
      name: 'x',
      tasks: { a: { uses: 'noop', needs: ['a'] } },
    })
    expect(bad).toMatchObject({ status: 200, body: { valid: false, errors: [{ code: 'self_need' }] } })
    const unreadable = await h.call('POST', '/api/v1/workflows/validate', 'a: [', { type: 'application/yaml' })
    expect(unreadable).toMatchObject({ status: 200, body: { valid: false, graph: null } })
    expect((await h.call('GET', '/api/v1/workflows/check')).status).toBe(404)
  })

  test('shows nothing to another project, and lets roles do what they may', async () => {
    await h.call('POST', '/api/v1/workflows', noop('mine'))
    const stranger = { projectId: randomUUID() }
    expect((await h.call('GET', '/api/v1/workflows/mine', undefined, { as: stranger })).status).toBe(404)
    expect((await h.call('DELETE', '/api/v1/workflows/mine', undefined, { as: stranger })).status).toBe(404)
    expect((await h.call('POST', '/api/v1/workflows/mine/runs', {}, { as: stranger })).status).toBe(404)
    expect((await h.call('PUT', '/api/v1/workflows/mine', noop('mine'), { as: { role: 'operator' } })).status).toBe(403)
    expect((await h.call('POST', '/api/v1/workflows/mine/runs', {}, { as: { role: 'viewer' } })).status).toBe(403)
    expect((await fetch(h.url('/api/v1/workflows'))).status).toBe(401)
  })
})

test('archiving frees the name and tells the others', async () => {
  await h.call('POST', '/api/v1/workflows', noop('gone'))
  const gone = await h.call('DELETE', '/api/v1/workflows/gone')
  expect([gone.status, gone.text]).toEqual([204, ''])
  expect((await h.call('GET', '/api/v1/workflows/gone')).status).toBe(404)
  expect((await h.call('DELETE', '/api/v1/workflows/gone')).status).toBe(404)
  expect((await h.call('POST', '/api/v1/workflows/gone/runs', {})).status).toBe(404)
  const again = await h.call('POST', '/api/v1/workflows', noop('gone'))
  expect([again.status, again.body.version]).toEqual([201, 1])
  expect(await h.events('workflow.deleted')).toMatchObject([{ data: { workflow: 'gone', projectId: h.projectId } }])
  const actions = (await h.events('audit.recorded'))
    .filter((e) => e.data.target === 'workflow:gone')
    .map((e) => e.data.action)
  expect(actions).toEqual(['workflow.created', 'workflow.deleted', 'workflow.created'])
})

test('versions are compared', async () => {
  const get = (path: string) => h.call('GET', path)
  await h.call('PUT', '/api/v1/workflows/compared', noop('compared'))
  await h.call('PUT', '/api/v1/workflows/compared', {
    name: 'compared',
    description: 'two',
    tasks: { a: { uses: 'noop' }, c: { uses: 'fail' } },
  })
  expect((await get('/api/v1/workflows/compared/versions/1/diff/2')).body).toEqual({
    from: 1,
    to: 2,
    tasks: { added: ['c'], removed: ['b'], changed: [] },
    changes: expect.arrayContaining([
      { op: 'add', path: '/description', after: 'two' },
      { op: 'remove', path: '/tasks/b', before: { uses: 'noop', needs: ['a'] } },
    ]),
  })
  expect((await get('/api/v1/workflows/compared/versions/2/diff/2')).body.changes).toEqual([])
  for (const [n, m] of [
    ['1', '3'],
    ['0', '1'],
    ['x', '1'],
    ['1', '99999999999'],
    ['-1', '1'],
    ['1', '1.5'],
  ]) {
    expect((await get(`/api/v1/workflows/compared/versions/${n}/diff/${m}`)).body.code).toBe('version_not_found')
  }
  expect((await get('/api/v1/workflows/absent/versions/1/diff/2')).body.code).toBe('workflow_not_found')
})
