import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limits } from '../limits.js'
import { ExpressionError } from './expression-error.js'
import { itemVariables, type Scope } from './scope.js'
import { compileCondition, compileTemplate, type TemplateOptions } from './template.js'

const keys = ['fetch', 'fetch-order', 'a', 'constructor']
const options: TemplateOptions = {
  variables: itemVariables,
  isTask: (key) => keys.includes(key),
  taskKeys: () => keys,
  allowSecrets: true,
}
const scope = (more: Partial<Scope> = {}): Scope => ({
  input: { n: 3, half: 0.5, name: 'Ada', list: [1, 2, 3], nothing: null, big: 1e300, 'order-id': 7 },
  tasks: {
    fetch: { status: 'succeeded', output: { body: { total: 12, lines: [{ sku: 'x', qty: 2 }] } } },
    'fetch-order': { status: 'succeeded', output: { id: 9 } },
    a: { status: 'failed', error: { class: 'user', message: 'no' } },
    constructor: { status: 'skipped' },
  },
  run: { id: 'r1', workflow: 'w', version: 2 },
  task: { key: 'pay', attempt: 1, idempotencyKey: 'k' },
  ...more,
})
const expr = (source: string): string => `\${{ ${source} }}`
const compile = (value: unknown) => compileTemplate(value, options)
const evaluate = (value: unknown, more?: Partial<Scope>): unknown => compile(value).template.evaluate(scope(more))
const run = (source: string, more?: Partial<Scope>): unknown => evaluate(expr(source), more)
const problems = (source: string): string[] => compile(expr(source)).problems.map((p) => p.code)
const codeOf = (fn: () => unknown): string => {
  try {
    fn()
  } catch (error) {
    expect(error).toBeInstanceOf(ExpressionError)
    return (error as ExpressionError).code
  }
  return 'no error'
}

describe('values', () => {
  it('keeps the type of a whole-string expression', () => {
    expect(run('input.n')).toBe(3)
    expect(run('input.list')).toEqual([1, 2, 3])
    expect(run('input.nothing')).toBeNull()
    expect(run('tasks.fetch.output.body.total > 0')).toBe(true)
    expect(run('{"a": [1, 2.5, {"b": null}]}')).toEqual({ a: [1, 2.5, { b: null }] })
  })

  it('becomes text inside text', () => {
    expect(
      evaluate(`no ${expr('input.n')}: ${expr('input.list')} ${expr('input.nothing')} ${expr('input.name')}`),
    ).toBe('no 3: [1,2,3] null Ada')
  })

  it('treats JSON integers as ints, other numbers as doubles, and mixes them', () => {
    expect(run('input.n * 2')).toBe(6)
    expect(run('input.n * input.half')).toBe(1.5)
    expect(run('input.half + input.n')).toBe(3.5)
    expect(run('7 / 2')).toBe(3)
    expect(run('7 / 2.0')).toBe(3.5)
    expect(run('input.n - 0.5 > 2')).toBe(true)
    expect(run('input.big * 2.0')).toBe(2e300)
    expect(run('type(input.big) == double && type(input.n) == int')).toBe(true)
  })

  it('reads keys with hyphens', () => {
    expect(run('tasks.fetch-order.output.id')).toBe(9)
    expect(run('tasks.fetch-order.output.id-1')).toBe(8)
    expect(run('tasks["fetch-order"].status')).toBe('succeeded')
    expect(run('tasks.fetch.output.body.total-2')).toBe(10)
    expect(run("'tasks.fetch-order.output'")).toBe('tasks.fetch-order.output')
    expect(run('input["order-id"]')).toBe(7)
  })

  it('gives null for an output or error that is not there', () => {
    expect(run('tasks.a.output == null && tasks.a.error.class == "user"')).toBe(true)
    expect(run('tasks.fetch.error')).toBeNull()
  })

  it('sees own properties only', () => {
    expect(run('has(input.constructor)')).toBe(false)
    expect(run('has(input.toString)')).toBe(false)
    expect(run('"__proto__" in input')).toBe(false)
    expect(run('tasks.constructor.status')).toBe('skipped')
    expect(codeOf(() => run('input.constructor'))).toBe('expression_failed')
  })

  it('copies __proto__ as a plain key and leaves prototypes alone', () => {
    const input = JSON.parse('{"a":{"__proto__":{"polluted":true}}}')
    const result = evaluate({ x: expr('input.a'), y: expr('{"__proto__": {"polluted": 1}}') }, { input })
    expect(JSON.stringify(result)).toBe('{"x":{"__proto__":{"polluted":true}},"y":{"__proto__":{"polluted":1}}}')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(Object.getPrototypeOf((result as { y: object }).y)).toBe(Object.prototype)
  })

  it('knows a key whose value is null', () => {
    expect(run('"nothing" in input && !("absent" in input) && has(input.nothing)')).toBe(true)
  })

  it('reads braces within strings, maps and comments', () => {
    expect(run('{"a": {"b": 1}}.a.b')).toBe(1)
    expect(run(`"}}" + '\${{'`)).toBe(`}}\${{`)
    expect(run('r"\\" + "x"')).toBe('\\x')
    expect(evaluate(`\${{ 1 + // it's }}\n 2 }}`)).toBe(3)
  })

  it('turns times and bytes into text', () => {
    expect(run('timestamp("2026-01-02T03:04:05Z") + duration("1h")')).toBe('2026-01-02T04:04:05Z')
    expect(run('b"hi"')).toBe('aGk=')
  })

  it('refuses numbers that JSON cannot hold', () => {
    expect(codeOf(() => run('1.0 / 0.0'))).toBe('not_json')
    expect(codeOf(() => run('9223372036854775807'))).toBe('not_json')
    expect(codeOf(() => run('9223372036854775807 + 1'))).toBe('expression_failed')
  })

  it('passes a value through without copying it', () => {
    const input = { rows: Array.from({ length: 20_000 }, (_, i) => i) }
    expect(run('input', { input })).toBe(input)
  })

  it('maps and filters long lists quickly', () => {
    const list = Array.from({ length: 10_000 }, (_, i) => i)
    const before = performance.now()
    expect(run('input.list.map(x, x + 1).filter(x, x % 2 == 0).size()', { input: { list } })).toBe(5_000)
    expect(performance.now() - before).toBeLessThan(15_000)
  })

  it('grows lists without changing the shorter ones that share them', () => {
    expect(run('[1, 2].map(x, [x] + [x + 10])')).toEqual([
      [1, 11],
      [2, 12],
    ])
    expect(run('input.list.map(x, x).size() == 3 ? [input.list + [4], input.list + [5]] : []')).toEqual([
      [1, 2, 3, 4],
      [1, 2, 3, 5],
    ])
  })
})

describe('bounds', () => {
  it('stops work that would block', () => {
    const list = Array.from({ length: 10_000 }, (_, i) => i)
    const text = 'a'.repeat(200_000)
    const before = performance.now()
    for (const source of [
      'input.list.filter(x, input.deep == input.other).size()',
      'input.list.filter(x, input.text.matches("(a|aa)+$")).size()',
      'input.list.filter(x, size(input.text) == x).size()',
      'input.list.filter(x, input.text.upperAscii() == "b").size()',
      'input.list.filter(x, x in input.list).size()',
    ]) {
      const deep = { list }
      expect(codeOf(() => run(source, { input: { list, text, deep, other: { list: [...list] } } }))).toBe(
        'expression_too_expensive',
      )
    }
    expect(performance.now() - before).toBeLessThan(15_000)
  })

  it('refuses lists over the bound, and results over theirs', () => {
    const list = Array.from({ length: 10_001 }, (_, i) => i)
    expect(codeOf(() => run('input.list.all(x, x > 0)', { input: { list } }))).toBe('list_too_long')
    const text = 'x'.repeat(300_000)
    expect(codeOf(() => run('[input.t, input.t, input.t, input.t]', { input: { t: text } }))).toBe('result_too_large')
    expect(codeOf(() => run('input.t + input.t + input.t + input.t', { input: { t: text } }))).toBe('result_too_large')
    expect(
      codeOf(() =>
        evaluate(
          [0, 1, 2, 3].map(() => expr('input.t')),
          { input: { t: text } },
        ),
      ),
    ).toBe('result_too_large')
    const exact = 'x'.repeat(limits.resolvedBytes - 2)
    expect(run('input.t', { input: { t: exact } })).toBe(exact)
    expect(codeOf(() => run('input.t', { input: { t: `${exact}x` } }))).toBe('result_too_large')
  })

  it('refuses nested and too many comprehensions, and long or deep expressions', () => {
    expect(problems('input.list.map(x, input.list.map(y, y))')).toEqual(['nested_comprehension'])
    expect(problems('input.list.filter(x, x > 0).map(x, x).all(x, x > 0)')).toEqual([])
    expect(problems(Array(5).fill('input.list.all(x, true)').join(' && '))).toEqual(['too_many_comprehensions'])
    expect(problems(`"${'x'.repeat(5_000)}"`)).toEqual(['expression_too_long'])
    const before = performance.now()
    for (const [open, close] of [
      ['(', ')'],
      ['[', ']'],
      ['int(', ')'],
      ['a[', ']'],
      ['{1:', '}'],
    ] as const) {
      const n = Math.floor(4_000 / (open.length + close.length))
      compile(expr(`${open.repeat(n)}1${close.repeat(n)}`))
    }
    expect(performance.now() - before).toBeLessThan(15_000)
  })
})

describe('what can be known before it runs', () => {
  it('finds syntax errors, unknown names and unknown functions', () => {
    expect(problems('input.n +')).toEqual(['expression_syntax'])
    expect(problems('')).toEqual(['expression_syntax'])
    expect(problems('nope.x')).toEqual(['unknown_variable'])
    expect(problems('input.list.map(x, x + y)')).toEqual(['unknown_variable'])
    expect(problems('frobnicate(1)')).toEqual(['unknown_function'])
    expect(problems('"%s".formatted([input.name])')).toEqual(['unknown_function'])
    expect(compile(`a \${{ input.n `).problems.map((p) => p.code)).toEqual(['expression_syntax'])
  })

  it('lists the tasks that it refers to', () => {
    const { template } = compile({ a: expr('tasks.fetch.output'), b: [`x ${expr('tasks["fetch-order"].status')}`] })
    expect(template.references.tasks).toEqual(['fetch', 'fetch-order'])
    expect(compile(expr('tasks.nope-x.output')).template.references.tasks).toEqual(['nope-x'])
    expect(compile(expr('tasks[input.name].output')).template.references.tasks).toEqual(keys)
  })

  it('takes a secret only by itself, and never as a value', () => {
    const { template, problems: none } = compile({ h: `Bearer ${expr('secrets.token')}` })
    expect(none).toEqual([])
    expect(template.references.secrets).toEqual(['token'])
    expect(template.evaluate(scope())).toEqual({ h: `Bearer ${expr('secrets.token')}` })
    expect(template.resolve(scope()).secrets).toEqual([{ path: ['h'], at: 7, name: 'token' }])
    expect(compile({ h: expr('input.name') }).template.resolve(scope()).secrets).toEqual([])
    expect(problems('secrets.to-ken')).toContain('secret_misplaced')
    expect(problems('secrets.token + "x"')).toEqual(['secret_misplaced'])
    expect(problems('secrets["token"]')).toEqual(['secret_misplaced'])
    expect(compileTemplate(expr('secrets.token'), { ...options, allowSecrets: false }).problems).toHaveLength(1)
  })

  it('wants a boolean of a condition', () => {
    const check = (value: string | boolean) => compileCondition(value, options).template.evaluate(scope())
    expect(check(expr('input.n > 2'))).toBe(true)
    expect(check('input.n > 5')).toBe(false)
    expect(check(false)).toBe(false)
    expect(codeOf(() => check('input.n'))).toBe('not_a_boolean')
    expect(codeOf(() => check(`x${expr('true')}`))).toBe('not_a_boolean')
  })
})

describe('for all', () => {
  const json = fc
    .jsonValue({ maxDepth: 4 })
    .filter((v) => !JSON.stringify(v).includes(`\${{`) && !JSON.stringify(v).includes('-0'))

  it('leaves values without expressions as they are', () => {
    fc.assert(
      fc.property(json, (value) => {
        const { template, problems: none } = compile(value)
        expect(none).toEqual([])
        expect(template.hasExpressions).toBe(false)
        expect(template.evaluate(scope())).toBe(value)
      }),
    )
  })

  it('brings any JSON value through an expression and back', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.stringify(run('input.v', { input: { v: value } }))).toBe(JSON.stringify(value))
        expect(JSON.stringify(run('[input.v]', { input: { v: value } }))).toBe(JSON.stringify([value]))
      }),
    )
  })

  it('throws nothing but ExpressionError, whatever it is given', () => {
    const fragments = fc.constantFrom(
      ...'input tasks run task item index . [ ] ( ) { } + - * / % ? : , == != < > && || ! in "a" 1 2.5 0 null true x'.split(
        ' ',
      ),
      '.map(x, ',
      '.filter(x, ',
      '.all(x, ',
      'has(',
      'size(',
      'int(',
      'string(',
      '.fetch',
      '.output',
      '["',
      'matches("(")',
      'timestamp("x")',
      'duration("1s")',
      'google.protobuf.Value{',
      'constructor',
      '__proto__',
      'toString',
      '9223372036854775807',
    )
    const source = fc.oneof(
      fc.array(fragments, { maxLength: 14 }).map((parts) => parts.join(' ')),
      fc.string({ maxLength: 60 }),
    )
    fc.assert(
      fc.property(source, json, (text, input) => {
        const { template } = compile(expr(text))
        try {
          template.evaluate(scope({ input }))
        } catch (error) {
          expect(error).toBeInstanceOf(ExpressionError)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
