import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ExpressionError } from './expression-error.js'
import { rewriteOptionals } from './optional-syntax.js'
import { runVariables, type Scope } from './scope.js'
import { compileTemplate } from './template.js'

const options = { variables: runVariables, isTask: () => true, taskKeys: () => [], allowSecrets: false }

function run(source: string, input: unknown = {}, tasks: Scope['tasks'] = {}): unknown {
  const { template, problems } = compileTemplate(`\${{ ${source} }}`, options)
  expect(problems).toEqual([])
  return template.evaluate({ input, tasks, run: {}, task: {} } satisfies Scope)
}

function codeOf(source: string, input?: unknown): string {
  try {
    run(source, input)
  } catch (error) {
    return (error as ExpressionError).code
  }
  return 'no error'
}

describe('optionals', () => {
  const input = { a: { b: [1, { c: 'x' }], n: null }, key: 'b' }

  it.each([
    ['input.?a.b.orValue(0)', [1, { c: 'x' }]],
    ['input.?z.b.c.orValue("none")', 'none'],
    ['input.a.?z.orValue(input.a.b[0])', 1],
    ['input.a.b[?1].c.orValue("none")', 'x'],
    ['input.a.b[?7].c.orValue("none")', 'none'],
    ['input.a.b[?-1].hasValue()', false],
    ['input.a[?input.key][?0].orValue(9)', 1],
    ['input.a.?n.hasValue()', true],
    ['input.a.?n.x.hasValue()', false],
    ['has(input.?a.b)', true],
    ['optional.of(3).value()', 3],
    ['optional.none().or(optional.of(4)).value()', 4],
    ['optional.ofNonZeroValue("").hasValue()', false],
    ['optional.ofNonZeroValue([0]).hasValue()', true],
    ['input.?z.orValue("a.?b[?c]")', 'a.?b[?c]'],
    ['input.?a.optMap(v, v.b[0] + 1).orValue(0)', 2],
    ['input.?z.optMap(v, v + 1).orValue(7)', 7],
    ['input.?a.optFlatMap(v, v.?z).hasValue()', false],
    ['input.?a.optFlatMap(v, v.?b[0]).orValue(0)', 1],
    ['input.?z.orValue(".optMap(v, [?")', '.optMap(v, [?'],
    ['[1, 2].map(x, input.a.b[?x - 1].hasValue())', [true, true]],
    ['true ? [1][0] : 2', 1],
    ['[?input.?z, 1, ? input.?key]', [1, 'b']],
    ['[[?input.?z], [?input.?key, max ? 1 : 2]].size()'.replace('max', 'true'), 2],
    ['"b" in [?input.?key]', true],
    ['{?"z": input.?z, "n": {?input.key: input.?key, ?"m": input.a.?n}}', { n: { b: 'b', m: null } }],
    ['{"f": [1, 2].map(x, x + 1), ?"k": optional.of([math.least(3, 4)])}', { f: [2, 3], k: [3] }],
    ['{?"a": input.?a}.a.b[?0].orValue(0)', 1],
    ['[?optional.of(optional.of(1))][0].value()', 1],
  ])('%s', (source, value) => {
    expect(run(source, input)).toEqual(value)
  })

  it('name the tasks that they ask', () => {
    expect(run('tasks.?one.output.x.orValue(0)', {}, { one: { status: 'succeeded', output: { x: 5 } } })).toBe(5)
    expect(run('tasks.?one.output.y.orValue(0)', {}, { one: { status: 'succeeded', output: { x: 5 } } })).toBe(0)
  })

  it.each([
    'input.?a',
    'optional.none().value()',
    'input.a.orValue(1)',
    '[input.?a]',
    'size(input.?a)',
    'input.?a == 1 ? 1 : input.?a',
    '[?input.a]',
    '{?"k": 1}',
  ])('%s is no value', (source) => {
    expect(codeOf(source, input)).toBe('expression_failed')
  })

  it('leave every expression alone that has none of them', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab.[](){}"\'\\ ,:+') }), (source) => {
        expect(rewriteOptionals(source)).toBe(source)
      }),
    )
  })
})

describe('format', () => {
  it.each([
    ['"%s is %d%%".format(["share", 7])', 'share is 7%'],
    ['"%.2f".format([input.price])', '3.00'],
    ['"%.1f and %e".format([2.25, 1])', '2.2 and 1.000000e+00'],
    ['"%x %X %o %b".format([255, "hi", 8, 5])', 'ff 6869 10 101'],
    ['"%s".format([{"b": [1, null], "a": true}])', '{a: true, b: [1, null]}'],
  ])('%s', (source, value) => {
    expect(run(source, { price: 3 })).toBe(value)
  })

  it.each([
    ['"%s".format([])', 'expression_failed'],
    ['"%s".format([1, 2])', 'expression_failed'],
    ['"%q".format([1])', 'expression_failed'],
    ['"%d".format(["a"])', 'expression_failed'],
    ['"%.999f".format([1.5])', 'expression_failed'],
    ['"%s".format([input.?price])', 'expression_failed'],
  ])('%s fails', (source, code) => {
    expect(codeOf(source, { price: 3 })).toBe(code)
  })
})

describe('lists', () => {
  const list = fc.array(fc.integer({ min: -50, max: 50 }), { maxLength: 40 })

  it('sort, reverse, distinct and slice as arrays do', () => {
    fc.assert(
      fc.property(list, fc.nat(40), fc.nat(40), (items, a, b) => {
        const input = { items }
        expect(run('input.items.sort()', input)).toEqual([...items].sort((x, y) => x - y))
        expect(run('input.items.reverse()', input)).toEqual([...items].reverse())
        expect(run('input.items.distinct()', input)).toEqual([...new Set(items)])
        const [from, to] = [Math.min(a, b, items.length), Math.min(Math.max(a, b), items.length)]
        expect(run(`input.items.slice(${from}, ${to})`, input)).toEqual(items.slice(from, to))
        if (items.length > 0) {
          expect(run('[math.greatest(input.items), math.least(input.items)]', input)).toEqual([
            Math.max(...items),
            Math.min(...items),
          ])
        }
      }),
      { numRuns: 50 },
    )
  })

  it('distinct goes by CEL equality, whatever the values are', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 6 }), (items) => {
        const input = { items: JSON.parse(JSON.stringify(items)) as unknown[] }
        const kept = run('input.items.distinct()', input) as unknown[]
        const pairs = input.items.map((_, i) =>
          input.items.map((__, j) => run(`input.items[${i}] == input.items[${j}]`, input)),
        )
        expect(kept).toHaveLength(input.items.filter((_, i) => !pairs[i]?.slice(0, i).includes(true)).length)
      }),
      { numRuns: 50 },
    )
  })

  it.each([
    ['[[1], [2, [3]]].flatten()', [1, 2, [3]]],
    ['[[1], [2, [3]]].flatten(2)', [1, 2, 3]],
    ['[1, 1.0, "1", true].distinct()', [1, '1', true]],
    ['["b", "a", "B"].sort()', ['B', 'a', 'b']],
    ['[2, 1.5].sort()', [1.5, 2]],
    ['lists.range(3)', [0, 1, 2]],
    ['math.greatest(1, 2.5, -3)', 2.5],
    ['math.least([4, 2])', 2],
    ['[].sort()', []],
  ])('%s', (source, value) => {
    expect(run(source)).toEqual(value)
  })

  it.each([
    '[1, "a"].sort()',
    '[[1]].sort()',
    '[1].slice(0, 2)',
    '[1].slice(1, 0)',
    'lists.range(-1)',
    'math.least([])',
    '[1].flatten(-1)',
  ])('%s fails plainly', (source) => {
    expect(codeOf(source)).toBe('expression_failed')
  })
})

describe('texts', () => {
  it('replace and reverse as strings do', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b', 'é', '💡') }),
        fc.constantFrom('a', 'ab', '💡'),
        fc.constantFrom('', 'x', 'aa'),
        (text, from, to) => {
          expect(run('input.text.replace(input.from, input.to)', { text, from, to })).toBe(
            text.replaceAll(from, () => to),
          )
          expect(run('input.text.replace(input.from, input.to, 1)', { text, from, to })).toBe(
            text.replace(from, () => to),
          )
          expect(run('input.text.reverse()', { text })).toBe([...text].reverse().join(''))
        },
      ),
      { numRuns: 60 },
    )
  })

  it('an empty text is found everywhere', () => {
    expect(run('"a💡".replace("", "-")')).toBe('-a-💡-')
    expect(run('"ab".replace("", "-", 2)')).toBe('-a-b')
  })
})

describe('now', () => {
  const at = '2026-03-04T05:06:07.089Z'
  const of = (source: string) =>
    compileTemplate(`\${{ ${source} }}`, options).template.evaluate({
      input: {},
      tasks: {},
      run: {},
      task: {},
      now: at,
    })

  it('is the time that was recorded, as a time', () => {
    expect(of('now')).toBe(at)
    expect(of('string(now + duration("24h"))')).toBe('2026-03-05T05:06:07.089Z')
    expect(of('now.getFullYear()')).toBe(2026)
    expect(of('now == now && now > timestamp("2020-01-01T00:00:00Z")')).toBe(true)
  })

  it('is a variable of runs alone', () => {
    const { problems } = compileTemplate('${{ now }}', { ...options, variables: new Set(['body']) })
    expect(problems).toMatchObject([{ code: 'unknown_variable' }])
  })
})
