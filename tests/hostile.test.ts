import { randomUUID } from 'node:crypto'
import { type Route, routes } from '@millrace/routes'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Account, type Client, login, newUser, type Reply, uniqueName } from './support/client.js'
import { expectProblem, expectRefusal } from './support/problems.js'
import { fillPath, title } from './support/route-calls.js'
import { startTarget, type Target } from './support/target.js'

let target: Target
let account: Account
let admin: Client
let params: Record<string, string>

beforeAll(async () => {
  target = await startTarget({ MILLRACE_RATE_LIMIT_LOGIN_ADDRESS: '100000' })
  account = await newUser(target)
  admin = await login(target, target.admin)
  const { name } = await account.client.createWorkflow({ name: uniqueName('wf'), tasks: { a: { uses: 'noop' } } })
  params = { name, id: randomUUID(), slug: account.project.slug, userId: randomUUID(), token: 'x', file: 'x' }
}, 120_000)

afterAll(() => target?.close())

const callerOf = (route: Route): Client => (route.access === 'admin' ? admin : account.client)
const withBody = routes.filter(({ body }) => body !== undefined && body.binary !== true)
const isJsonOnly = ({ body }: Route) => body?.contentTypes === undefined
const json = { 'content-type': 'application/json' }
const named = (list: readonly Route[]) => list.map((route) => [title(route), route] as const)

const brokenJson = [
  '{',
  '{"a":}',
  '{"a":1,}',
  "{'a':1}",
  '[1,2',
  'nul',
  '"',
  '\u0000',
  '{"a":1}{"b":2}',
  '\ufeff{',
  'NaN',
]
const wrongShapes = [
  '[]',
  '[{}]',
  '"text"',
  '1',
  'true',
  'null',
  '{"constructor":1,"__proto__":{"x":1}}',
  '{"no such field":1}',
]
const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`
const deepList = `${'['.repeat(100_000)}${']'.repeat(100_000)}`

describe.each(named(withBody))('%s', (name, route) => {
  const send = (raw: string | Buffer, headers: Record<string, string> = json) =>
    callerOf(route).call(route.method, fillPath(route, params), { raw, headers })

  // A definition's faults are what validate is asked for.
  const expectVerdict = (reply: Reply<unknown>, what: string, statuses: number[]) => {
    if (route.operationId !== 'validateWorkflow' || reply.status !== 200) expectRefusal(reply, what, statuses)
    else expect(reply.body).toMatchObject({ valid: false })
  }

  test('JSON that is broken', async () => {
    for (const raw of brokenJson) expectRefusal(await send(raw), `${name} ${raw}`, [400, 404])
    const notUtf8 = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])
    expectRefusal(await send(notUtf8), `${name} that is not UTF-8`, [400, 404])
  })

  test('JSON of another shape', async () => {
    for (const raw of wrongShapes) {
      expectVerdict(await send(raw), `${name} ${raw}`, [400, 404, 422])
    }
  })

  test('deeper than anyone needs', async () => {
    for (const raw of [deep, deepList]) expectVerdict(await send(raw), `${name} nested`, [400, 404, 422])
  })

  test('fields of the wrong type, NUL, lone surrogates, huge strings and numbers', async () => {
    const properties = Object.keys(
      (route.body?.schema?.properties as Record<string, unknown> | undefined) ?? { name: 1, tasks: 1 },
    )
    const values = [
      '"\\u0000"',
      '"\\ud800"',
      `"${'x'.repeat(300_000)}"`,
      '1e400',
      '-0.5',
      '123456789012345678901234567890',
      '[]',
      '{}',
      'null',
      'false',
      '"\\u202e"',
      '""',
    ]
    for (const property of properties) {
      for (const value of values) {
        const reply = await send(`{"${property}":${value}}`)
        expect(reply.status, `${name} ${property}: ${value.slice(0, 40)} → ${reply.text.slice(0, 300)}`).toBeLessThan(
          500,
        )
        if (reply.status >= 400) expectProblem(reply, `${name} ${property}`)
      }
    }
  })

  test('the wrong content type or encoding', async () => {
    if (isJsonOnly(route)) {
      for (const type of [
        'text/plain',
        'application/xml',
        'multipart/form-data; boundary=x',
        'application/x-www-form-urlencoded',
        'application/jsonx',
        'x',
      ]) {
        expectRefusal(await send('{"a":1}', { 'content-type': type }), `${name} as ${type}`, [415, 404])
      }
    } else expectRefusal(await send('<a/>', { 'content-type': 'application/xml' }), `${name} as xml`, [415])
    expectRefusal(
      await send('{}', { 'content-type': 'application/json; charset=utf-16' }),
      `${name} utf-16`,
      [415, 400, 404],
    )
    expectRefusal(await send('{}', { ...json, 'content-encoding': 'bogus' }), `${name} encoded`, [415, 400, 404])
    expectRefusal(
      await send('not gzip', { ...json, 'content-encoding': 'gzip' }),
      `${name} false gzip`,
      [415, 400, 404],
    )
  })

  test('more than 8 MiB', async () => {
    const huge = Buffer.alloc(8 * 1024 * 1024 + 1, 0x20)
    huge[0] = 0x7b
    huge[huge.length - 1] = 0x7d
    const reply = await send(huge).catch((error: unknown) => error)
    // The rest of a refused body may be cut off, but only after the answer was sent.
    expect(reply).not.toBeInstanceOf(Error)
    expectRefusal(reply as Reply<unknown>, `${name} of 8 MiB and a byte`, [413])
  })
})

describe('any body at all is answered, never with a fault of the server', () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.double(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('any'), { maxLength: 4 }),
      fc.dictionary(fc.string({ unit: 'binary', maxLength: 12 }), tie('any'), { maxKeys: 4 }),
    ),
  })).any

  test.each(named(withBody.filter(({ operationId }) => operationId !== 'changePassword')))(
    '%s',
    async (name, route) => {
      const properties = Object.keys(
        (route.body?.schema?.properties as object | undefined) ?? { name: 1, tasks: 1, input: 1, output: 1 },
      )
      const body = fc.record(Object.fromEntries(properties.map((key) => [key, value])), { requiredKeys: [] })
      await fc.assert(
        fc.asyncProperty(body, async (sent) => {
          const reply = await callerOf(route).call(route.method, fillPath(route, params), { body: sent })
          expect(reply.status, `${name} ${JSON.stringify(sent)} → ${reply.text.slice(0, 300)}`).toBeLessThan(500)
          if (reply.status >= 400) expectProblem(reply, name)
        }),
        { numRuns: 12 },
      )
    },
  )

  test('nor any definition', async () => {
    const task = fc.record(
      {
        uses: fc.oneof(fc.constantFrom('noop', 'http', 'transform', 'map', 'sleep', 'payments.charge'), value),
        needs: fc.oneof(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }), value),
        with: fc.oneof(
          fc.constantFrom({ value: '${{ tasks.a.output }}' }, { value: '${{ ((((' }, { output: '${{ 1/0 }}' }),
          value,
        ),
        if: fc.oneof(fc.constantFrom('${{ true }}', '${{ tasks.b }}', '${{'), value),
        retry: fc.oneof(fc.record({ maxAttempts: value, delay: fc.constantFrom('1s', '-1s', 'P1Y', 'x') }), value),
        timeout: fc.oneof(fc.constantFrom('1s', '0', '99999999999d'), value),
        when: fc.oneof(fc.constantFrom('all_done', 'any_failed'), value),
      },
      { requiredKeys: [] },
    )
    const definition = fc.record(
      {
        name: fc.oneof(fc.constant('abc'), value),
        tasks: fc.oneof(fc.dictionary(fc.constantFrom('a', 'b', 'c', 'x y', '__proto__'), task), value),
        input: value,
        output: value,
        timeout: value,
        defaults: value,
        concurrency: value,
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(definition, async (sent) => {
        const reply = await account.client.call<{ valid: boolean; errors: unknown[] }>(
          'POST',
          '/api/v1/workflows/validate',
          { body: sent },
        )
        expect(reply.status, `${JSON.stringify(sent)} → ${reply.text.slice(0, 300)}`).toBeLessThan(500)
        if (reply.status === 200) expect(reply.body.valid).toBe(reply.body.errors.length === 0)
        else expectProblem(reply, 'validate')
      }),
      { numRuns: 60 },
    )
  })
})

describe('YAML', () => {
  const validate = (raw: string) =>
    account.client.call<{ valid: boolean }>('POST', '/api/v1/workflows/validate', {
      raw,
      headers: { 'content-type': 'application/yaml' },
    })

  test.each([
    [
      'a billion laughs',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
        .split('')
        .map((c, i) => `${c}: &${c} [${Array(9).fill(`*${'abcdefghij'[i]}`)}]`)
        .join('\n')}\nname: x\ntasks: *j\n`,
    ],
    ['an alias of itself', 'name: x\ntasks: &t\n  a: *t\n'],
    ['code', 'name: !!js/function "function(){}"\ntasks: {}\n'],
    ['two documents', 'name: x\n---\nname: y\n'],
    ['a merge key', 'name: x\ntasks:\n  <<: {a: {uses: noop}}\n  "__proto__": {uses: noop}\n'],
    ['tabs', 'name:\tx\n\ttasks:\n'],
    ['a twice-named task', 'name: x\ntasks:\n  a: {uses: noop}\n  a: {uses: noop}\n'],
    ['nothing', ''],
    ['a NUL', 'name: "\\0"\ntasks: {a: {uses: noop}}\n'],
    ['raw control characters', 'name: \u0001\u0002\n'],
    ['depth', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    ['a wide key', `? ${'x'.repeat(100_000)}\n: y\n`],
  ])('%s is refused quickly', async (what, raw) => {
    const before = performance.now()
    const reply = await validate(raw)
    expect(performance.now() - before).toBeLessThan(5_000)
    if (reply.status === 200) expect(reply.body.valid, what).toBe(false)
    else expectRefusal(reply, what)
  })
})

test('after all that the deployment is as well as before', async () => {
  const { client } = account
  expect((await client.call('GET', '/readyz')).status).toBe(200)
  const { id } = await client.runTasks({ a: { uses: 'noop' } })
  expect(await client.ended(id)).toMatchObject({ status: 'succeeded' })
  const fatal = (target.standalone?.logs() ?? '').split('\n').filter((line) => /"level":"(error|fatal)"/.test(line))
  expect(fatal.slice(0, 3)).toEqual([])
})
