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
