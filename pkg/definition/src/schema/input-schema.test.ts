import { describe, expect, it } from 'vitest'
import { checkInputSchema, compileInputSchema } from './input-schema.js'

const codes = (schema: unknown) => checkInputSchema(schema).map((p) => p.code)

describe('a schema for input', () => {
  it('checks input, all errors at once', () => {
    const check = compileInputSchema({
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'string', pattern: '^o-\\d+$' }, n: { type: 'integer' } },
    })
    expect(check({ id: 'o-12', n: 1 })).toEqual([])
    expect(check({ id: 'x', n: 'y' }).map((e) => [e.path, e.code])).toEqual([
      ['/input/id', 'pattern'],
      ['/input/n', 'type'],
    ])
    expect(check({})).toMatchObject([{ path: '/input/id', code: 'required' }])
    expect(compileInputSchema(undefined)({ any: 'thing' })).toEqual([])
    expect(compileInputSchema(false)({})).toHaveLength(1)
  })

  it('is refused when it is no schema', () => {
    expect(codes({ type: 'strnig' })).toContain('bad_schema')
    expect(codes({ properties: [] })).toContain('bad_schema')
    expect(codes({ pattern: '(?=look)ahead' })).toEqual(['bad_schema'])
    expect(codes({ pattern: '(' })).toEqual(['bad_schema'])
    expect(codes({ $schema: 'http://json-schema.org/draft-07/schema#' })).toEqual(['unsupported_schema'])
    expect(codes({ $async: true })).toEqual(['unsupported_schema'])
  })

  it('refers only into itself', () => {
    expect(codes({ $ref: 'https://example.com/s.json' })).toEqual(['remote_ref'])
    expect(codes({ $ref: 'file:///etc/passwd' })).toEqual(['remote_ref'])
    expect(codes({ $ref: '#/$defs/nope' })).toEqual(['unknown_ref'])
    expect(codes({ $ref: '#/$defs/a', $defs: { a: { type: 'string' } } })).toEqual([])
  })

  it('may be a tree, but not one that doubles', () => {
    const tree = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } }
    expect(codes(tree)).toEqual([])
    expect(compileInputSchema(tree)({ children: [{ children: [{ children: 1 }] }] })).toHaveLength(1)
    expect(codes({ anyOf: [{ properties: { c: { $ref: '#' } } }, { properties: { c: { $ref: '#' } } }] })).toEqual([
      'schema_too_complex',
    ])
    const $defs: Record<string, unknown> = { d40: { type: 'string' } }
    for (let i = 0; i < 40; i++)
      $defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] }
    expect(codes({ $ref: '#/$defs/d0', $defs })).toEqual(['schema_too_complex'])
  })

  it('checks hostile input quickly', () => {
    const before = performance.now()
    const pattern = compileInputSchema({ type: 'string', pattern: '^(a+)+$' })
    expect(pattern(`${'a'.repeat(50_000)}!`)).toHaveLength(1)
    const unique = compileInputSchema({ type: 'array', uniqueItems: true })
    const items = Array.from({ length: 60_000 }, (_, i) => ({ i }))
    expect(unique(items)).toEqual([])
    expect(
      unique([
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ]),
    ).toHaveLength(1)
    expect(performance.now() - before).toBeLessThan(15_000)
  })
})
