import { describe, expect, it } from 'vitest'
import { parseDefinition } from './parse.js'
import { validateDefinition } from './validate.js'

const yaml = (text: string) => parseDefinition(text, 'application/yaml')
const json = (text: string) => parseDefinition(text, 'application/json')

describe('yaml', () => {
  it('reports keys that stand twice, at their line', () => {
    const { errors } = yaml('name: w\ntasks:\n  a: { uses: noop }\n  a: { uses: noop }\n')
    expect(errors).toMatchObject([{ code: 'duplicate_key', line: 4 }])
  })

  it('reports what cannot be read', () => {
    expect(yaml('a: [1').errors[0]).toMatchObject({ code: 'malformed', line: 1 })
    expect(yaml('a: 1\n---\nb: 2').errors[0]?.code).toBe('malformed')
    expect(yaml('a: !!js/function "x"').errors[0]?.code).toBe('custom_tag')
    expect(yaml('a: !thing 1').errors[0]?.code).toBe('custom_tag')
  })

  it('survives bombs', () => {
    const laughs = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...[...'bcdefghij'].map((c, i) => `${c}: &${c} [${Array(9).fill(`*${'abcdefghi'[i]}`)}]`),
    ]
    expect(yaml(laughs.join('\n')).errors[0]?.code).toBe('too_many_aliases')
    const before = performance.now()
    for (const text of [
      '['.repeat(50_000),
      '{a: '.repeat(20_000),
      '- '.repeat(5_000),
      '&a '.repeat(1_000),
      'x'.repeat(2_000_000),
    ]) {
      const parsed = yaml(text)
      expect(
        parsed.errors.length + (parsed.value === undefined ? 0 : validateDefinition(parsed.value).errors.length),
      ).toBeGreaterThan(0)
    }
    expect(performance.now() - before).toBeLessThan(20_000)
  })

  it('makes no prototype', () => {
    const { value } = yaml('__proto__: { polluted: 1 }')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(validateDefinition(value).errors.map((e) => e.code)).toContain('forbidden_key')
  })
})

describe('json', () => {
  it('reports keys that stand twice, and where it breaks', () => {
    expect(json('{"name":"w",\n"tasks":{"a":{"uses":"noop"},\n"a":{"uses":"noop"}}}').errors).toMatchObject([
      { path: '/tasks/a', code: 'duplicate_key', line: 3 },
    ])
    expect(json('{\n"a": x}').errors).toMatchObject([{ code: 'malformed' }])
  })

  it('finds lines through lists and escapes', () => {
    const text =
      '{ "name": "w",\n "tasks": [\n  {"key":"a","uses":"noop"},\n  {"key":"b",\n   "uses":"noop", "w\\"h": "}"}\n ]}'
    const { value, positions } = json(text)
    expect(validateDefinition(value, { positions }).errors).toMatchObject([{ path: '/tasks/1/w"h', line: 5 }])
  })

  it('does not choke on depth', () => {
    const { value, positions } = json(
      `{"name":"w","tasks":{"a":{"uses":"noop","with":{"output":${'['.repeat(200_000)}${']'.repeat(200_000)}}}}}`,
    )
    expect(validateDefinition(value, { positions }).errors[0]?.code).toBe('too_deep')
  })
})

describe('text that was made to take long', () => {
  const quick = <T>(work: () => T): T => {
    const before = performance.now()
    const result = work()
    expect(performance.now() - before).toBeLessThan(5_000)
    return result
  }
  const yaml = (text: string) => quick(() => parseDefinition(text, 'application/yaml'))
  const lines = (count: number, line: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => line(i)).join('')

  it('has ten thousand keys: a hundred errors, in time', () => {
    const { value, positions } = yaml(lines(10_000, (i) => `k${i}: 1\n`))
    const { errors } = quick(() => validateDefinition(value, { positions }))
    expect(errors).toHaveLength(100)
    expect(errors.map((e) => e.line)).toContain(90)
  })

  it('has the same key ten thousand times', () => {
    const { errors } = yaml(lines(10_000, () => 'k: 1\n'))
    expect(errors).toHaveLength(100)
    expect(errors[0]).toMatchObject({ code: 'duplicate_key', line: 2 })
  })

  it.each([
    ['keys', lines(90_000, (i) => `k${i}: 1\n`), 'too_many_values'],
    ['items', `[${'1,'.repeat(400_000)}]`, 'too_many_values'],
    ['empty lines', '\n'.repeat(1_000_000), 'too_many_values'],
    ['anchors', '&a '.repeat(300_000), 'too_many_values'],
    ['tags', '!a '.repeat(300_000), 'too_many_values'],
    ['colons', ': '.repeat(400_000), 'too_deep'],
    ['aliases', `a: &a 1\n${lines(50_000, (i) => `k${i}: *a\n`)}`, 'too_many_aliases'],
    ['lists as keys', lines(5_000, (i) => `? [a${i}]\n: 1\n`), 'malformed'],
  ])('has too many %s', (_, text, code) => {
    expect(yaml(text).errors[0]).toMatchObject({ code })
  })

  it('is JSON with as many values as fit', () => {
    const { value } = quick(() => parseDefinition(`[${'1,'.repeat(500_000)}1]`, 'application/json'))
    expect(quick(() => validateDefinition(value)).errors).toMatchObject([{ code: 'too_many_values' }])
  })

  it('is deep JSON with many errors', () => {
    const text = `{"a":${'['.repeat(90)}${'1,'.repeat(90_000)}1${']'.repeat(90)},${lines(9_000, (i) => `"k${i}":1,`)}"z":1}`
    const { value, positions } = quick(() => parseDefinition(text, 'application/json'))
    expect(quick(() => validateDefinition(value, { positions })).errors).toHaveLength(100)
  })
})

describe('nesting', () => {
  const lines = (count: number, line: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => line(i)).join('\n')

  it.each([
    ['of flow lists', '['.repeat(20_000) + ']'.repeat(20_000)],
    ['of flow maps', '{a: '.repeat(20_000)],
    ['of lists in one line', `${'- '.repeat(100_000)}x`],
    ['of keys in one line', `${'? '.repeat(100_000)}x`],
    ['by indentation', lines(1_400, (i) => `${' '.repeat(i)}a:`)],
    ['by indentation, hidden by empty lines and comments', lines(1_000, (i) => `${' '.repeat(i)}a:\n\n# c`)],
    ['by both', lines(600, (i) => `${' '.repeat(i * 2)}- - a:`)],
  ])('%s is counted before the parser goes into it', (_what, text) => {
    expect(parseDefinition(text, 'application/yaml').errors).toMatchObject([{ code: 'too_deep' }])
  })

  it('counts what is nested, not what follows', () => {
    const flat = lines(2_000, (i) => `- a${i}: { b: [1, [2]], c: 'd' }\n  e:\n    f: ? g`.replace('? g', 'g'))
    expect(parseDefinition(flat, 'application/yaml').errors).toEqual([])
    const deep = lines(90, (i) => `${' '.repeat(i)}a:`)
    expect(parseDefinition(`${deep} 1`, 'application/yaml').errors).toEqual([])
  })
})
