import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allFeatures } from './features.js'
import { parseDefinition } from './parse.js'
import { definitionSchema } from './schema/definition-schema.js'
import { validateDefinition } from './validate.js'

const yaml = (text: string) => {
  const parsed = parseDefinition(text, 'application/yaml')
  if (parsed.value === undefined) return { valid: false, errors: parsed.errors }
  const result = validateDefinition(parsed.value, { positions: parsed.positions })
  return { ...result, errors: [...parsed.errors, ...result.errors] }
}
const codes = (value: unknown, supported = allFeatures) =>
  validateDefinition(value, { supported }).errors.map((e) => `${e.path} ${e.code}`)
const withTasks = (tasks: unknown, more: object = {}) => ({ name: 'w', tasks, ...more })
const noop = { uses: 'noop' }

const reference = `
name: order-fulfilment
description: Fetch, pay, notify
tags: [shop]
input: { type: object, required: [orderId], properties: { orderId: { type: string } } }
concurrency: { limit: 5, key: "\${{ input.customerId }}", onLimit: queue }
timeout: 1h
output: { receipt: "\${{ tasks.pay.output.receipt }}" }
defaults: { retry: { maxAttempts: 3 } }
tasks:
  fetch:
    uses: http
    with: { method: GET, url: "https://shop.example/orders/\${{ input.orderId }}" }
    timeout: 30s
    retry: { maxAttempts: 5, backoff: exponential, delay: 1s, maxDelay: 1m, jitter: full, notOn: [validation] }
  pay:
    needs: [fetch]
    if: "\${{ tasks.fetch.output.body.total > 0 }}"
    uses: payments.charge
    with: { amount: "\${{ tasks.fetch.output.body.total }}", key: "\${{ task.idempotencyKey }}" }
    queue: default
    priority: 5
    concurrency: { limit: 1, key: "\${{ input.customerId }}" }
    rateLimit: { limit: 100, per: 1m, key: payments }
    onFailure: stop
  parcels:
    needs: [pay]
    uses: map
    with: { items: "\${{ tasks.fetch.output.body.lines }}", maxParallel: 100, task: { uses: http, with: { url: "https://ship.example/\${{ item.sku }}" } } }
  sign-off: { needs: [parcels], uses: approval, with: { role: operator }, timeout: 24h }
  bill:     { needs: [sign-off], uses: workflow, with: { name: invoice, input: { order: "\${{ input.orderId }}" } } }
  tell:     { needs: [bill], when: all_done, uses: email, with: { to: "\${{ input.email }}", subject: "Order done", text: "…" } }
`

describe('the reference definition', () => {
  const { value } = parseDefinition(reference, 'application/yaml')

  it('is valid, with its graph', () => {
    const result = validateDefinition(value, { supported: allFeatures })
    expect(result.errors).toEqual([])
    expect(result.graph?.nodes.map((n) => [n.key, n.level])).toEqual([
      ['fetch', 0],
      ['pay', 1],
      ['parcels', 2],
      ['sign-off', 3],
      ['bill', 4],
      ['tell', 5],
    ])
    expect(result.graph?.edges).toContainEqual({ from: 'parcels', to: 'sign-off' })
  })

  it('is refused by name where the engine lacks a feature', () => {
    const errors = validateDefinition(value, { supported: new Set() }).errors
    expect(new Set(errors.map((e) => e.code))).toEqual(new Set(['unsupported_feature']))
    expect(errors.map((e) => e.path).sort()).toEqual([
      '/concurrency',
      '/tasks/bill/uses',
      '/tasks/parcels/uses',
      '/tasks/pay/concurrency',
      '/tasks/pay/rateLimit',
      '/tasks/sign-off/uses',
      '/tasks/tell/uses',
    ])
  })
})

describe('forms', () => {
  it('normalises lists of tasks and top-level dependencies', () => {
    const result = validateDefinition({
      name: 'w',
      tasks: [
        { key: 'a', uses: 'noop' },
        { key: 'b', uses: 'noop', needs: ['a'] },
        { key: 'c', uses: 'noop' },
      ],
      dependencies: { c: ['a', 'b'], b: ['a'] },
    })
    expect(result.errors).toEqual([])
    expect(result.definition?.tasks).toEqual({
      a: { uses: 'noop' },
      b: { uses: 'noop', needs: ['a'] },
      c: { uses: 'noop', needs: ['a', 'b'] },
    })
  })

  it('never changes what it was given', () => {
    const source = { name: 'w', tasks: { a: noop, b: { uses: 'noop' } }, dependencies: { b: ['a'] } }
    const before = structuredClone(source)
    validateDefinition(source)
    expect(source).toEqual(before)
  })

  it('speaks of the form the author chose', () => {
    expect(
      codes({
        name: 'w',
        tasks: [{ key: 'a', uses: 'noop', nope: 1 }, { uses: 'noop' }, { key: 'a', uses: 'noop' }, 7],
        dependencies: { a: ['zz'], q: ['a'] },
      }).sort(),
    ).toEqual([
      '/dependencies/a/0 unknown_need',
      '/dependencies/q unknown_task',
      '/tasks/0/nope unknown_field',
      '/tasks/1/key required',
      '/tasks/2/key duplicate_key',
      '/tasks/3 type',
    ])
  })
})

describe('errors', () => {
  it('come all at once, with lines', () => {
    const { errors } = yaml(`name: Bad Name
tasks:
  a:
    uses: noop
    needs: [b]
    colour: red
  b:
    uses: noop
    needs: [a, ghost]
  b-c:
    uses: sleep
    timeout: soon
  1x: { uses: noop }
  d:
    uses: transform
    with: { value: "\${{ tasks.a.output + }}" }
`)
    expect(errors.map((e) => `${e.line} ${e.path} ${e.code}`).sort()).toEqual([
      '1 /name bad_name',
      '10 /tasks/b-c/with required',
      '12 /tasks/b-c/timeout bad_duration',
      '13 /tasks/1x bad_name',
      '16 /tasks/d/with/value expression_syntax',
      '5 /tasks/a/needs cycle',
      '6 /tasks/a/colour unknown_field',
      '9 /tasks/b/needs/1 unknown_need',
    ])
    expect(errors.find((e) => e.code === 'cycle')?.message).toContain('a → b → a')
  })

  it('names cycles, needs of oneself and needs named twice', () => {
    expect(codes(withTasks({ a: { ...noop, needs: ['a'] }, b: { ...noop, needs: ['a', 'a'] } }))).toEqual([
      '/tasks/a/needs/0 self_need',
      '/tasks/b/needs/1 duplicate_need',
    ])
  })

  it('finds references to tasks that are unknown or not upstream', () => {
    const value = (key: string) => ({ uses: 'transform', with: { value: `\${{ tasks.${key}.output }}` } })
    expect(
      codes(
        withTasks({
          a: noop,
          b: { ...value('a'), needs: ['a'] },
          c: { ...value('a'), needs: ['b'] },
          d: value('a'),
          e: value('zz'),
          f: value('f'),
        }),
      ),
    ).toEqual([
      '/tasks/d/with/value not_upstream',
      '/tasks/e/with/value unknown_task',
      '/tasks/f/with/value not_upstream',
    ])
    expect(codes(withTasks({ a: noop }, { output: `\${{ tasks.b.output }}` }))).toEqual(['/output unknown_task'])
    expect(codes(withTasks({ 'a-b': noop }, { output: `\${{ tasks.a-b.output }}` }))).toEqual([])
  })

  it('keeps secrets to strings of with', () => {
    expect(
      codes(
        withTasks({
          a: {
            uses: 'http',
            with: { url: 'https://x.example', headers: { authorization: `Bearer \${{ secrets.t }}` } },
          },
        }),
      ),
    ).toEqual([])
    expect(codes(withTasks({ a: { ...noop, if: `\${{ secrets.t == 'x' }}` } }))).toEqual([
      '/tasks/a/if secret_misplaced',
    ])
    expect(codes(withTasks({ a: noop }, { output: `\${{ secrets.t }}` }))).toEqual(['/output secret_misplaced'])
    expect(codes(withTasks({ a: { uses: 'approval', with: { message: `\${{ secrets.t }}` } } }))).toEqual([
      '/tasks/a/with/message secret_misplaced',
    ])
    expect(codes(withTasks({ a: { uses: 'workflow', with: { name: 'b', input: [`\${{ secrets.t }}`] } } }))).toEqual([
      '/tasks/a/with/input/0 secret_misplaced',
    ])
    expect(codes(withTasks({ a: { uses: 'noop', with: { output: `\${{ secrets.t }}` } } }), new Set())).toEqual([
      '/tasks/a/with/output unsupported_feature',
    ])
  })

  it('checks what built-ins take', () => {
    expect(
      codes(
        withTasks({
          a: { uses: 'http', with: { method: 'YELL' } },
          b: { uses: 'fail', with: { times: -1, class: 'odd' } },
          c: { uses: 'fail', with: { times: `\${{ input.n }}` } },
          d: { uses: 'noop', with: { what: 1 } },
          e: { uses: 'sleep', with: { duration: 'long' } },
          f: { uses: 'shell', with: { command: 'x', args: ['y'] } },
          g: { uses: 'map', with: { items: [1], task: { uses: 'map', with: { items: [], task: noop } } } },
          h: { uses: 'my.function', with: { anything: { goes: true } } },
        }),
      ),
    ).toEqual([
      '/tasks/a/with/url required',
      '/tasks/a/with/method enum',
      '/tasks/b/with/times minimum',
      '/tasks/b/with/class enum',
      '/tasks/d/with/what unknown_field',
      '/tasks/e/with/duration bad_duration',
      '/tasks/f/with one_of',
      '/tasks/g/with/task/uses nested_map',
    ])
  })

  it('checks the task of a map as any other, and names where it stands', () => {
    const map = (task: object, more: object = {}) => ({ uses: 'map', with: { items: [1], task, ...more } })
    expect(
      codes(
        withTasks({
          a: map({ uses: 'http', with: { url: `http://x/\${{ item }}/\${{ index }}` }, timeout: '1s', queue: 'q' }),
          b: map({ uses: 'http', with: {} }),
          c: map({ uses: 'noop', needs: ['a'], onFailure: 'continue', timeout: '0s', retry: { maxAttempts: 0 } }),
          d: map({ uses: 'approval' }),
          e: map({ uses: 'workflow', with: { name: 'x' } }),
          f: map({ uses: 'noop', with: { output: `\${{ itm }} \${{ tasks.b.output }}` } }),
          g: map(noop, { maxParallel: 0, items: 'all' }),
          h: map({ uses: 'noop', with: { output: `\${{ secrets.a }}` } }),
          i: { uses: 'noop', with: { output: `\${{ item }}` } },
          j: { uses: 'map', with: { items: `\${{ secrets.a }}`, task: noop } },
          k: { uses: 'map' },
        }),
      ).sort(),
    ).toEqual([
      '/tasks/b/with/task/with/url required',
      '/tasks/c/with/task/needs unknown_field',
      '/tasks/c/with/task/onFailure unknown_field',
      '/tasks/c/with/task/retry/maxAttempts minimum',
      '/tasks/c/with/task/timeout bad_duration',
      '/tasks/d/with/task/uses not_in_map',
      '/tasks/e/with/task/uses not_in_map',
      '/tasks/f/with/task/with/output not_upstream',
      '/tasks/f/with/task/with/output unknown_variable',
      '/tasks/g/with/items type',
      '/tasks/g/with/maxParallel minimum',
      '/tasks/i/with/output unknown_variable',
      '/tasks/j/with/items secret_misplaced',
      '/tasks/k/with required',
    ])
  })

  it('refuses in a map what the engine lacks', () => {
    const inner = { uses: 'shell', with: { command: 'x' }, rateLimit: { limit: 1, per: '1s' } }
    const { errors } = validateDefinition(withTasks({ a: { uses: 'map', with: { items: [], task: inner } } }), {
      supported: new Set(['map']),
    })
    expect(errors.map((e) => `${e.path} ${e.code}`).sort()).toEqual([
      '/tasks/a/with/task/rateLimit unsupported_feature',
      '/tasks/a/with/task/uses unsupported_feature',
    ])
  })

  it('bounds durations and refuses empty time limits', () => {
    expect(codes(withTasks({ a: { ...noop, timeout: '0s' } }, { timeout: '9999d', expectedDuration: '0m' }))).toEqual([
      '/timeout bad_duration',
      '/expectedDuration bad_duration',
      '/tasks/a/timeout bad_duration',
    ])
  })

  it.each([
    null,
    1,
    'x',
    [],
    {},
    { name: 'w' },
    { name: 'w', tasks: {} },
    { name: 'w', tasks: [] },
    { name: 'w', tasks: 'x' },
  ])('refuses %j', (value) => {
    expect(validateDefinition(value).valid).toBe(false)
  })

  it('lets no odd name through', () => {
    const tasks = JSON.parse(
      '{"__proto__": {"uses": "noop"}, "constructor": {"uses": "noop"}, "toString": {"uses": "noop", "needs": ["constructor"]}}',
    )
    expect(codes(withTasks(tasks))).toEqual(['/tasks/__proto__ forbidden_key'])
    expect(codes(withTasks({ a: { ...noop, needs: ['constructor'] } }))).toEqual(['/tasks/a/needs/0 unknown_need'])
  })

  it('bounds size, depth and number of tasks', () => {
    const many = Object.fromEntries(Array.from({ length: 2_001 }, (_, i) => [`t${i}`, noop]))
    expect(codes(withTasks(many))).toEqual(['/tasks max_properties'])
    delete many.t0
    expect(codes(withTasks(many))).toEqual([])
    expect(codes(withTasks({ a: noop }, { description: 'x'.repeat(1_100_000) }))).toEqual([' too_large'])
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    expect(
      validateDefinition(withTasks({ a: { uses: 'noop', with: { output: deep } } })).errors.map((e) => e.code),
    ).toEqual(['too_deep'])
  })

  it('takes any JSON value without throwing', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => validateDefinition(value).valid === false))
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (a, b, c) => {
        validateDefinition({
          name: a,
          input: b,
          tasks: { x: c, y: { uses: 'http', with: a, needs: b, if: c } },
          dependencies: c,
          output: a,
        } as never)
      }),
    )
  })
})

describe('the published schema', () => {
  const validate = new Ajv2020({
    strict: true,
    allowUnionTypes: true,
    strictTypes: false,
    strictRequired: false,
  }).compile(definitionSchema)

  it('accepts what is valid, in both forms, and refuses what is not', () => {
    const { value } = parseDefinition(reference, 'application/yaml')
    expect(validate(value), JSON.stringify(validate.errors)).toBe(true)
    expect(validate({ name: 'w', tasks: [{ key: 'a', uses: 'noop' }], dependencies: { a: [] } })).toBe(true)
    expect(validate({ name: 'w', tasks: [{ uses: 'noop' }] })).toBe(false)
    expect(validate({ name: 'w', tasks: { a: { uses: 'http' } } })).toBe(false)
    expect(validate({ name: 'w', tasks: { a: { uses: 'noop' } }, colour: 1 })).toBe(false)
  })

  it('is one document that needs nothing else', () => {
    expect(definitionSchema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
    for (const [reference] of JSON.stringify(definitionSchema).matchAll(/"\$ref":"[^"]*"/g))
      expect(reference).toMatch(/"#\/\$defs\//)
  })
})

describe('limits', () => {
  it('are checked with their paths', () => {
    const tasks = {
      a: { ...noop, concurrency: { limit: 0 }, rateLimit: { limit: 1, per: '0s', key: '${{ nobody.x }}' } },
      b: { ...noop, concurrency: { limit: 1, onLimit: 'queue' } },
      c: { uses: 'signal', with: { name: 'go' }, concurrency: { limit: 1 } },
    }
    const found = codes(withTasks(tasks, { concurrency: { limit: 1, key: '${{ tasks.a.output }}' } }))
    for (const path of ['/tasks/a/concurrency/limit', '/tasks/a/rateLimit/per', '/tasks/a/rateLimit/key']) {
      expect(found.some((error) => error.startsWith(`${path} `))).toBe(true)
    }
    expect(found.some((error) => error.startsWith('/tasks/b/concurrency'))).toBe(true)
    expect(found).toContain('/tasks/c/concurrency limit_without_effect')
    expect(found.some((error) => error.startsWith('/concurrency/key '))).toBe(true)
  })
})
