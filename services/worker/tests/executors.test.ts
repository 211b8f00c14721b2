import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ExecutionFailure, type Executor } from '../src/index.js'
import { type Harness, openHarness, resultOf, startHarness } from './harness.js'

let builtIn: Awaited<ReturnType<typeof openHarness>>
let custom: Awaited<ReturnType<typeof openHarness>>
let behave: Executor['execute'] = () => null
beforeAll(async () => {
  builtIn = await openHarness()
  custom = await openHarness({ executors: [{ uses: 'x', execute: (ctx) => behave(ctx) }] })
})
afterAll(async () => {
  await builtIn.close()
  await custom.close()
})

async function outcomeIn({ dispatch }: Harness, lease: { uses: string; inputJson?: string; attempt?: number }) {
  const [id] = dispatch.enqueue(lease)
  const { outcome, outputJson, error } = await resultOf(dispatch, id)
  return outcome === 'OUTCOME_SUCCEEDED' ? { output: JSON.parse(outputJson) as unknown } : { error }
}

const run = (lease: { uses: string; inputJson?: string; attempt?: number }) => outcomeIn(builtIn, lease)

function runCustom(execute: Executor['execute']) {
  behave = execute
  return outcomeIn(custom, { uses: 'x' })
}

describe('noop', () => {
  it.each([
    ['{"output":{"a":[1]}}', { a: [1] }],
    ['{"output":false}', false],
    ['{"output":null}', null],
    ['{"other":1}', null],
    ['{}', null],
    ['null', null],
    ['', null],
  ])('with %s answers %j', async (inputJson, output) => {
    expect(await run({ uses: 'noop', inputJson })).toEqual({ output })
  })
})

describe('fail', () => {
  it('fails the first times, then succeeds', async () => {
    const inputJson = '{"times":2,"class":"http_5xx","message":"busy"}'
    for (const attempt of [1, 2]) {
      expect((await run({ uses: 'fail', inputJson, attempt })).error).toMatchObject({
        class: 'http_5xx',
        message: 'busy',
        retryable: true,
      })
    }
    expect(await run({ uses: 'fail', inputJson, attempt: 3 })).toEqual({ output: { attempt: 3 } })
  })

  it.each(['validation', 'non_retryable', 'http_4xx', 'cancelled'])(
    'class %s is not to be retried',
    async (errorClass) => {
      expect(
        (await run({ uses: 'fail', inputJson: JSON.stringify({ class: errorClass }), attempt: 9 })).error,
      ).toMatchObject({ class: errorClass, retryable: false })
    },
  )
})

describe('sleep', () => {
  it.each(['30ms', 'PT0.03S'])('sleeps %s', async (duration) => {
    const { output } = await run({ uses: 'sleep', inputJson: JSON.stringify({ duration }) })
    expect((output as { sleptMs: number }).sleptMs).toBeGreaterThanOrEqual(29)
  })
})

describe('transform', () => {
  it.each([
    ['{"value":{"a":1}}', { a: 1 }],
    ['{"value":null}', null],
    ['{"value":"x"}', 'x'],
  ])('with %s answers %j', async (inputJson, output) => {
    expect(await run({ uses: 'transform', inputJson })).toEqual({ output })
  })
})

describe('a malformed input is class validation', () => {
  it.each([
    ['noop', '[]'],
    ['noop', '"text"'],
    ['noop', '{not json'],
    ['fail', '{"times":-1}'],
    ['fail', '{"times":"two"}'],
    ['fail', '{"times":1.5}'],
    ['fail', '{"class":"made_up"}'],
    ['fail', '{"class":"__proto__"}'],
    ['fail', '{"message":{}}'],
    ['sleep', '{}'],
    ['sleep', '{"duration":5}'],
    ['sleep', '{"duration":"soon"}'],
    ['sleep', '{"duration":"-5s"}'],
    ['transform', '{}'],
    ['transform', '{"__proto__":{"value":1}}'],
    ['http', '{}'],
  ])('%s with %s', async (uses, inputJson) => {
    expect((await run({ uses, inputJson })).error).toMatchObject({ class: 'validation', retryable: false })
  })
})

describe('whatever an executor does, its result is well formed', () => {
  const circular: Record<string, unknown> = {}
  circular.self = circular
  const deep: unknown[] = []
  for (let i = 0, at = deep; i < 100_000; i++) {
    const next: unknown[] = []
    at.push(next)
    at = next
  }
  const unreadable = new Proxy(
    {},
    {
      get: () => {
        throw new Error('no')
      },
      getPrototypeOf: () => {
        throw new Error('no')
      },
    },
  )

  const outputs: [string, unknown, unknown][] = [
    ['undefined', undefined, { output: null }],
    ['a function', () => 1, { output: null }],
    ['a symbol', Symbol('x'), { output: null }],
    ['NaN', Number.NaN, { output: null }],
    ['a date', new Date(0), { output: '1970-01-01T00:00:00.000Z' }],
    ['a NUL and half a pair', '\0\ud800', { output: '\0\ud800' }],
    ['a circle', circular, { error: { class: 'validation', code: 'output_invalid' } }],
    ['a BigInt', { n: 1n }, { error: { class: 'validation' } }],
    ['a deep nest', deep, { error: { class: 'validation' } }],
    ['a proxy that throws', { unreadable }, { error: { class: 'validation' } }],
    [
      'a throwing toJSON',
      {
        toJSON: () => {
          throw new Error('no')
        },
      },
      { error: { class: 'validation' } },
    ],
    ['more than 8 MiB', 'x'.repeat(8 * 1024 * 1024), { error: { class: 'validation' } }],
    ['more than 8 MiB in bytes', 'é'.repeat(4 * 1024 * 1024), { error: { class: 'validation' } }],
  ]
  it.each(outputs)('it answers %s', async (_name, value, expected) => {
    expect(await runCustom(() => value)).toMatchObject(expected as object)
  })

  it('it answers just under 8 MiB', async () => {
    const value = 'x'.repeat(8 * 1024 * 1024 - 2)
    expect(await runCustom(() => value)).toEqual({ output: value })
  })

  const thrown: [string, unknown, object][] = [
    ['an Error', new Error('plain'), { class: 'unknown', message: 'plain', code: 'error', retryable: true }],
    ['undefined', undefined, { class: 'unknown', message: 'undefined' }],
    ['null', null, { message: 'null' }],
    ['a string', 'text', { message: 'text' }],
    ['a symbol', Symbol('s'), { message: 'Symbol(s)' }],
    ['an object', { a: 1 }, { message: '{"a":1}' }],
    ['a circle', circular, { message: expect.stringContaining('cannot be read') }],
    ['a proxy that throws', unreadable, { message: expect.stringContaining('cannot be read') }],
    ['control characters', new Error('a\0b\ud800c\nd'), { message: 'a\ufffdb\ufffdc\nd' }],
    ['an empty message', new TypeError(''), { message: 'TypeError' }],
    [
      'its own failure',
      new ExecutionFailure('mine', { class: 'network', code: 'x_y' }),
      { class: 'network', code: 'x_y' },
    ],
    [
      'a made-up class',
      new ExecutionFailure('m', { class: 'odd' as 'user', code: 'Bad Code!' }),
      { class: 'unknown', code: 'error' },
    ],
  ]
  it.each(thrown)('it throws %s', async (_name, value, expected) => {
    const throwing: Executor = {
      uses: 'x',
      execute: async () => {
        throw value
      },
    }
    const throwingAtOnce: Executor = {
      uses: 'x',
      execute: () => {
        throw value
      },
    }
    for (const executor of [throwing, throwingAtOnce]) {
      expect((await runCustom(executor.execute)).error).toMatchObject(expected)
    }
  })

  it('it throws a huge message', async () => {
    const { error } = await runCustom(() => {
      throw new Error('m'.repeat(50_000_000))
    })
    expect(error?.message).toHaveLength(4_096)
  })

  it('large results travel apart, and none is lost', async () => {
    const big: Executor = { uses: 'big', execute: () => 'x'.repeat(3 * 1024 * 1024) }
    const { dispatch } = await startHarness({ executors: [big], concurrency: 6 })
    const ids = dispatch.enqueue(...Array.from({ length: 6 }, () => ({ uses: 'big' })))
    await waitFor(() => dispatch.accepted.size === 6, { timeoutMs: 20_000 })
    for (const id of ids) expect(dispatch.result(id)?.outcome).toBe('OUTCOME_SUCCEEDED')
  })
})
