import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { routes } from '@millrace/routes'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Account, Client, newUser, uniqueName } from './support/client.js'
import { expectProblem } from './support/problems.js'
import type { Explanation, Page, Problem, Workflow } from './support/shapes.js'
import { startTarget, type Target } from './support/target.js'

let target: Target
let account: Account
let client: Client
const yaml = { 'content-type': 'application/yaml' }

beforeAll(async () => {
  target = await startTarget()
  account = await newUser(target)
  client = account.client
}, 120_000)

afterAll(() => target?.close())

describe('a definition', () => {
  test('is the same in YAML and JSON, with tasks as a map or a list', async () => {
    const asMap = { tasks: { a: { uses: 'noop' }, b: { uses: 'noop', needs: ['a'] } } }
    const asList = {
      tasks: [
        { key: 'a', uses: 'noop' },
        { key: 'b', uses: 'noop' },
      ],
      dependencies: { b: ['a'] },
    }
    const first = await client.createWorkflow({ name: 'as-map', ...asMap })
    const second = await client.createWorkflow({ name: 'as-list', ...asList })
    const third = await client.want<Workflow>(201, 'POST', '/api/v1/workflows', {
      raw: 'name: as-yaml\ntasks:\n  a: { uses: noop }\n  b: { uses: noop, needs: [a] }\n',
      headers: yaml,
    })
    for (const workflow of [first, second, third]) {
      expect(workflow).toMatchObject({ version: 1, createdAt: expect.stringMatching(/\.\d{3}Z$/) })
      expect(workflow.graph).toEqual({
        nodes: [
          { key: 'a', uses: 'noop', level: 0 },
          { key: 'b', uses: 'noop', level: 1 },
        ],
        edges: [{ from: 'a', to: 'b' }],
      })
    }
    const taken = await client.call('POST', '/api/v1/workflows', { body: { name: 'as-map', ...asMap } })
    expectProblem(taken, 'the same name', 409, 'workflow_exists')
  })

  test('the example is one', async () => {
    const raw = readFileSync(join(import.meta.dirname, '..', 'examples', 'order-fulfilment.yaml'), 'utf8')
    const verdict = await client.want(200, 'POST', '/api/v1/workflows/validate', { raw, headers: yaml })
    expect(verdict).toMatchObject({ valid: true, errors: [], graph: { edges: { length: 2 } } })
  })

  const faulty = {
    name: 'Not A Name',
    tasks: {
      'bad key': { uses: 'noop' },
      lost: { uses: 'noop', needs: ['nobody'] },
      bare: { with: {} },
      late: { uses: 'noop', timeout: 'soon' },
      odd: { uses: 'noop', when: 'sometimes' },
      wrong: { uses: 'transform', with: { value: '${{ 1 + }}' } },
      one: { uses: 'noop', needs: ['three'] },
      two: { uses: 'noop', needs: ['one'] },
      three: { uses: 'noop', needs: ['two'] },
    },
  }

  test('all its errors come at once, each with its place', async () => {
    const verdict = await client.want<{ valid: boolean; errors: { path: string; code: string; message: string }[] }>(
      200,
      'POST',
      '/api/v1/workflows/validate',
      { body: faulty },
    )
    expect(verdict.valid).toBe(false)
    const said = verdict.errors.map(({ path, code, message }) => `${path} ${code} ${message}`)
    for (const place of [
      '/name',
      'bad key',
      '/tasks/lost',
      '/tasks/bare',
      '/tasks/late',
      '/tasks/odd',
      '/tasks/wrong',
    ]) {
      expect(
        said.filter((line) => line.includes(place)),
        `${place} in\n${said.join('\n')}`,
      ).not.toEqual([])
    }
    const refused = await client.call<Problem>('POST', '/api/v1/workflows', { body: faulty })
    expect(expectProblem(refused, 'create', 422).errors).toEqual(verdict.errors)
  })

  test('a cycle is named by its tasks', async () => {
    const { one, two, three } = faulty.tasks
    const tasks = { one, two, three, outside: { uses: 'noop' } }
    const refused = await client.call('POST', '/api/v1/workflows', { body: { name: 'round', tasks } })
    const cycle = expectProblem(refused, 'a cycle', 422).errors?.find(({ code }) => /cycle/.test(code))
    for (const key of ['one', 'two', 'three']) expect(cycle?.message).toContain(key)
    expect(cycle?.message).not.toContain('outside')
  })

  test('in YAML an error has its line', async () => {
    const raw = 'name: lines\ntasks:\n  a:\n    uses: noop\n  b:\n    uses: noop\n    needs: [nobody]\n'
    const refused = await client.call('POST', '/api/v1/workflows', { raw, headers: yaml })
    expect(expectProblem(refused, 'a line', 422).errors).toMatchObject([{ line: 7 }])
  })

  test('bounds: 2,000 tasks and 1 MiB', async () => {
    const many = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`t${i}`, { uses: 'noop' }]))
    const most = await client.want(200, 'POST', '/api/v1/workflows/validate', {
      body: { name: 'most', tasks: many(2000) },
    })
    expect(most).toMatchObject({ valid: true })
    const more = await client.call('POST', '/api/v1/workflows', { body: { name: 'more', tasks: many(2001) } })
    expectProblem(more, '2,001 tasks', 422)
    const big = { name: 'big', tasks: { a: { uses: 'noop', with: { output: 'x'.repeat(1024 * 1024) } } } }
    const reply = await client.call('POST', '/api/v1/workflows', { body: big })
    expect([413, 422]).toContain(expectProblem(reply, '1 MiB').status)
  })
})

describe('versions', () => {
  test('a change makes one, the same content does not, and each stays as it was', async () => {
    const name = uniqueName('versions')
    const put = (output: number) =>
      client.call<Workflow>('PUT', `/api/v1/workflows/${name}`, {
        body: { name, tasks: { a: { uses: 'noop', with: { output } } } },
      })
    await client.createWorkflow({ name, tasks: { a: { uses: 'noop', with: { output: 1 } } } })
    expect((await put(1)).body.version).toBe(1)
    expect(await put(2)).toMatchObject({ status: 200, body: { version: 2 } })
    expect(await put(2)).toMatchObject({ status: 200, body: { version: 2 } })
    const asYaml = `# a comment\ntasks: { a: { with: { output: 2 }, uses: noop } }\nname: ${name}\n`
    const same = await client.want<Workflow>(200, 'PUT', `/api/v1/workflows/${name}`, { raw: asYaml, headers: yaml })
    expect(same.version).toBe(2)
    expect((await put(1)).body.version).toBe(3)
    const versions = await client.get<Page<{ version: number }>>(`/api/v1/workflows/${name}/versions`)
    expect(versions.items.map(({ version }) => version)).toEqual([3, 2, 1])
    for (const [version, output] of [
      [1, 1],
      [2, 2],
    ]) {
      const old = await client.get<Workflow>(`/api/v1/workflows/${name}?version=${version}`)
      expect(old).toMatchObject({ version, definition: { tasks: { a: { with: { output } } } } })
    }
    expectProblem(await client.call('GET', `/api/v1/workflows/${name}?version=9`), 'no such version', 404)
    const first = await client.startRun(name, { version: 1 })
    const latest = await client.startRun(name)
    expect([first.version, latest.version]).toEqual([1, 3])
  })

  test('writers at the same moment lose nothing', async () => {
    const name = uniqueName('race')
    await client.createWorkflow({ name, tasks: { a: { uses: 'noop' } } })
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        client.call<Workflow>('PUT', `/api/v1/workflows/${name}`, {
          body: { name, tasks: { a: { uses: 'noop', with: { output: i } } } },
        }),
      ),
    )
    for (const reply of replies) expect([200, 409], reply.text).toContain(reply.status)
    const written = replies.filter(({ status }) => status === 200).map(({ body }) => body.version)
    expect(new Set(written).size).toBe(written.length)
    const versions = await client.all<{ version: number }>(`/api/v1/workflows/${name}/versions`)
    expect(versions).toHaveLength(written.length + 1)
  })

  test('one name at the same moment is given once', async () => {
    const name = uniqueName('once')
    const body = { name, tasks: { a: { uses: 'noop' } } }
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => client.call('POST', '/api/v1/workflows', { body })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
  })
})

describe('the list', () => {
  let lister: Client

  beforeAll(async () => {
    lister = (await newUser(target)).client
    for (let i = 0; i < 7; i++) {
      const tags = i % 2 === 0 ? ['even', 'all'] : ['all']
      await lister.createWorkflow({
        name: `item-${i}`,
        tags,
        description: `the ${i}th`,
        tasks: { a: { uses: 'noop' } },
      })
    }
  })

  const names = (items: Workflow[]) => items.map(({ name }) => name)

  test('pages through all of it, newest first, without a gap or a repeat', async () => {
    const all = names(await lister.all<Workflow>('/api/v1/workflows'))
    expect(all).toEqual([6, 5, 4, 3, 2, 1, 0].map((i) => `item-${i}`))
    for (const limit of [1, 2, 3, 7]) expect(names(await lister.all<Workflow>('/api/v1/workflows', limit))).toEqual(all)
  })

  test('is filtered by tag and text', async () => {
    expect(names(await lister.all<Workflow>('/api/v1/workflows?tag=even'))).toEqual([
      'item-6',
      'item-4',
      'item-2',
      'item-0',
    ])
    expect(names(await lister.all<Workflow>('/api/v1/workflows?q=item-3'))).toEqual(['item-3'])
    expect(names(await lister.all<Workflow>('/api/v1/workflows?q=%25'))).toEqual([])
    expect(names(await lister.all<Workflow>('/api/v1/workflows?tag=none'))).toEqual([])
  })

  test('an archived workflow leaves it and starts no more, its runs stay', async () => {
    const { id } = await lister.startRun('item-5')
    await lister.ended(id)
    await lister.want(204, 'DELETE', '/api/v1/workflows/item-5')
    expect(names(await lister.all<Workflow>('/api/v1/workflows'))).not.toContain('item-5')
    expectProblem(await lister.call('POST', '/api/v1/workflows/item-5/runs'), 'start', 404)
    expectProblem(await lister.call('GET', '/api/v1/workflows/item-5'), 'get', 404)
    expect(await lister.run(id)).toMatchObject({ workflow: 'item-5', status: 'succeeded' })
    const again = await lister.createWorkflow({ name: 'item-5', tasks: { a: { uses: 'noop' } } })
    expect(again.name).toBe('item-5')
  })
})

describe('idempotency', () => {
  test('the same key and body give the first answer again, another body a conflict', async () => {
    const name = uniqueName('idem')
    const send = (output: number, key: string) =>
      client.call<Workflow>('POST', '/api/v1/workflows', {
        body: { name, tasks: { a: { uses: 'noop', with: { output } } } },
        headers: { 'idempotency-key': key },
      })
    const first = await send(1, name)
    const second = await send(1, name)
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body).toEqual(first.body)
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expectProblem(await send(2, name), 'another body', 409, 'idempotency_conflict')
    expectProblem(await send(1, `${name}-2`), 'another key', 409, 'workflow_exists')
  })

  test('a secret is not shown a second time', async () => {
    const send = () =>
      client.call<{ id: string; key?: string }>('POST', '/api/v1/api-keys', {
        body: { name: 'once', role: 'viewer' },
        headers: { 'idempotency-key': 'an api key'.replaceAll(' ', '-') },
      })
    const [first, second] = [await send(), await send()]
    expect(first.body.key).toEqual(expect.any(String))
    expect(second).toMatchObject({ status: 201, body: { id: first.body.id } })
    expect(second.text).not.toContain(first.body.key)
  })
})

describe('the platform tells', () => {
  const anonymous = () => new Client(target.url)

  test('its API: OpenAPI 3.1 with every route, every reference resolved', async () => {
    const document = await anonymous().get<
      Record<string, unknown> & { paths: Record<string, Record<string, { operationId: string }>> }
    >('/api/v1/openapi.json')
    expect(document.openapi).toMatch(/^3\.1\./)
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
    )
    const table = routes.map(({ method, path, operationId }) => `${method} ${path.replace('+}', '}')} ${operationId}`)
    expect(operations.sort()).toEqual(table.sort())
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, pointer]) => pointer ?? '',
    )
    expect(references.length).toBeGreaterThan(0)
    for (const pointer of new Set(references)) {
      const found = pointer
        .split('/')
        .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document)
      expect(found, pointer).toBeDefined()
    }
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const name of path.matchAll(/\{(\w+)\}/g)) {
        for (const operation of Object.values(methods)) {
          expect(JSON.stringify(operation), `${path} declares ${name[1]}`).toMatch(
            new RegExp(`"name":"${name[1]}"|#/components/parameters`),
          )
        }
      }
    }
  })

  test('its documentation, with everything the page asks for', async () => {
    const page = await anonymous().call('GET', '/docs')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file ?? '')
    expect(files.length).toBeGreaterThan(1)
    for (const file of files) {
      const url = new URL(file, `${target.url}/docs`)
      expect(url.origin, 'nothing from elsewhere').toBe(target.url)
      expect((await fetch(url)).status, file).toBe(200)
    }
  })

  test('the schema of definitions', async () => {
    expect(await anonymous().get('/api/v1/schemas/definition.json')).toMatchObject({
      $schema: expect.any(String),
      type: 'object',
    })
  })

  test('its public keys, and nothing private', async () => {
    const { keys } = await anonymous().get<{ keys: Record<string, unknown>[] }>('/.well-known/jwks.json')
    expect(keys.length).toBeGreaterThan(0)
    for (const key of keys) {
      expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', kid: expect.any(String) })
      expect(key).not.toHaveProperty('d')
    }
    const kid = JSON.parse(Buffer.from((client.token ?? '').split('.')[0] ?? '', 'base64url').toString()) as {
      kid: string
    }
    expect(keys.map((key) => key.kid)).toContain(kid.kid)
  })

  test('its health and readiness, naming what it depends on', async () => {
    expect(await anonymous().call('GET', '/healthz')).toMatchObject({ status: 200 })
    const ready = await anonymous().get<{ dependencies: Record<string, string> }>('/readyz')
    expect(ready.dependencies).toMatchObject({
      postgres: 'up',
      iam: 'up',
      scheduler: 'up',
      metadata: 'up',
      notification: 'up',
      artifact: 'up',
    })
  })

  test('who did what', async () => {
    const name = uniqueName('audited')
    await client.createWorkflow({ name, tasks: { a: { uses: 'noop' } } })
    const entry = await waitFor(async () => {
      const { items } = await client.get<Page<{ action: string; target: string; actor: string; outcome: string }>>(
        '/api/v1/audit?action=workflow.created',
      )
      return items.find((item) => item.target.includes(name))
    })
    expect(entry).toMatchObject({
      actor: `user:${account.id}`,
      outcome: 'success',
      ip: expect.any(String),
      requestId: expect.any(String),
    })
  })
})

test('a name that nobody has registered and that is nearly a built-in one is warned of', async () => {
  const tasks = {
    call: { uses: 'htpp', with: { url: 'https://shop.example/' } },
    own: { uses: 'payments.charge' },
    each: { uses: 'map', with: { items: [1], task: { uses: 'Sleep', with: { duration: '1s' } } } },
  }
  const name = uniqueName('warned')
  const checked = await client.want<{ valid: boolean; warnings: { path: string; message: string }[] }>(
    200,
    'POST',
    '/api/v1/workflows/validate',
    { body: { name, tasks } },
  )
  expect(checked.valid).toBe(true)
  expect(checked.warnings.map(({ path }) => path)).toEqual(['/tasks/call/uses', '/tasks/each/with/task/uses'])
  expect(checked.warnings[0]?.message).toContain('did you mean http?')
  const made = await client.want<{ warnings?: unknown[] }>(201, 'POST', '/api/v1/workflows', { body: { name, tasks } })
  expect(made.warnings).toHaveLength(2)
  const { id } = await client.startRun(name)
  const why = await waitFor(async () => {
    const { tasks: explained } = await client.get<Explanation>(`/api/v1/runs/${id}/explain`)
    return explained.find(({ key, status }) => key === 'call' && status === 'queued')?.why
  })
  expect(why).toContain('did you mean http?')
  await client.want(200, 'POST', `/api/v1/runs/${id}/cancel`)
})
