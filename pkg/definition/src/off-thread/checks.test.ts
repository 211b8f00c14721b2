import { afterAll, describe, expect, it } from 'vitest'
import { limits } from '../limits.js'
import { compilePlan } from '../plan.js'
import { checkInputSchema, compileInputSchema } from '../schema/input-schema.js'
import { validationCost } from '../schema/schema-cost.js'
import { checkDefinitionText, checkDefinitionValue, checkInputOffThread, closeChecks, warmUpChecks } from './checks.js'

afterAll(() => closeChecks())

const items = Array.from({ length: 50_000 }, (_, i) => i)
const contains = { allOf: Array.from({ length: 200 }, (_, i) => ({ contains: { const: -1 - i } })) }
const planWith = (input: unknown) => compilePlan({ name: 'w', input, tasks: { a: { uses: 'noop' } } })

describe('checking in a thread', () => {
  it('reads a definition, and tells errors with their lines', async () => {
    const good = await checkDefinitionText('name: w\ntasks: { a: { uses: noop } }', 'application/yaml', 'p')
    expect(good).toMatchObject({ errors: [], isMalformed: false, definition: { name: 'w' }, graph: { nodes: [{}] } })
    const bad = await checkDefinitionText('name: w\ntasks: {}\nnope: 1', 'application/yaml', 'p')
    expect(bad.errors).toContainEqual(expect.objectContaining({ code: 'unknown_field', line: 3 }))
    expect(await checkDefinitionText('{', 'application/json', 'p')).toMatchObject({ isMalformed: true })
    expect(await checkDefinitionValue({ name: 'w', tasks: { a: { uses: 'noop' } } }, 'p')).toMatchObject({ errors: [] })
  })

  it('costs a small input little', async () => {
    await warmUpChecks()
    const times: number[] = []
    for (let i = 0; i < 200; i++) {
      const before = performance.now()
      await checkInputOffThread({ type: 'object' }, { a: 1 }, 'p')
      times.push(performance.now() - before)
    }
    // Measured 0.23 ms at a load of 2.
    expect(times.sort((a, b) => a - b)[100]).toBeLessThan(5)
  })
})

describe("a user's schema that was made to take long", () => {
  it('is counted before it is checked', () => {
    const before = performance.now()
    expect(validationCost(contains, items, limits.validationSteps)).toBeGreaterThan(limits.validationSteps)
    expect(compileInputSchema(contains)(items)).toMatchObject([{ code: 'too_complex' }])
    expect(performance.now() - before).toBeLessThan(5_000)
  })

  it('tells one error, not millions', () => {
    const many = { allOf: Array.from({ length: 40 }, () => ({ items: { type: 'string' } })) }
    expect(compileInputSchema(many)(items.slice(0, 20_000))).toHaveLength(1)
    expect(compileInputSchema({ items: { type: 'string' } })(items.slice(0, 1_000))).toHaveLength(100)
  })

  it.each([
    [
      'towers of anyOf',
      { anyOf: Array.from({ length: 300 }, () => ({ items: { anyOf: [{ type: 'string' }] } })) },
      items,
    ],
    ['uniqueItems', { uniqueItems: true, items: { uniqueItems: true } }, items.slice(0, 30_000).map((i) => [i])],
    ['a long url', { format: 'url' }, `http://${'a.'.repeat(100_000)}`],
    ['patterns', { items: { pattern: '^(a|aa|b)*[cd]$' } }, items.slice(0, 5_000).map(() => 'ab'.repeat(20))],
    [
      'pattern properties',
      { patternProperties: { '^[ab]*[ab]{99}$': {}, '[c-f]{50,99}': {} } },
      { ['ab'.repeat(5_000)]: 1 },
    ],
    ['property names', { propertyNames: { maxLength: 9 } }, Object.fromEntries(items.map((i) => [`key-${i}`, i]))],
    ['enumerations', { items: { enum: items.slice(0, 20_000) } }, items],
    ['a loop', { $ref: '#' }, items],
    ['unevaluated items', { allOf: [{ prefixItems: [{}] }], unevaluatedItems: { type: 'string' } }, items],
  ])('ends soon: %s', (_, schema, input) => {
    const before = performance.now()
    compileInputSchema(schema)(input)
    expect(performance.now() - before).toBeLessThan(8_000)
  })

  it('never costs the event loop more than a little', async () => {
    const cheap = planWith({ type: 'object', required: ['x'] })
    expect(cheap.validateInput({ x: 1 }, 'p')).toEqual([])
    const costly = planWith(contains).validateInput(items, 'p')
    expect(costly).toBeInstanceOf(Promise)
    expect(await costly).toMatchObject([{ code: 'too_complex' }])
    const large = { properties: Object.fromEntries(items.slice(0, 500).map((i) => [`p${i}`, { type: 'integer' }])) }
    expect(await planWith(large).validateInput({ p1: 'x' }, 'p')).toMatchObject([{ path: '/input/p1' }])
  })

  it.each([
    ['one pattern', { pattern: 'a{1000}b{1000}' }],
    ['a pattern of names', { patternProperties: { '(x{50}){50}': {} } }],
    ['many patterns', { allOf: Array.from({ length: 60 }, (_, i) => ({ pattern: `a{900}${i}` })) }],
  ])('is refused for %s that would be a large program', (_, schema) => {
    expect(checkInputSchema(schema)).toMatchObject([{ code: 'pattern_too_complex' }])
  })
})
