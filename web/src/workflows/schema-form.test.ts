import { describe, expect, it } from 'vitest'
import { fieldsOf, initialInput, readText, valueAt, withValue } from './schema-form'

const schema = {
  type: 'object',
  required: ['orderId'],
  properties: {
    orderId: { type: 'string', description: 'Which order', pattern: '^o-' },
    amount: { type: 'integer', minimum: 1, default: 3 },
    express: { type: ['boolean', 'null'] },
    speed: { enum: ['slow', 'fast', 7] },
    at: { type: 'string', format: 'date-time' },
    address: {
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string', default: 'Bern' }, zip: { type: 'string' } },
    },
    lines: { type: 'array', items: { type: 'string' } },
    anything: true,
  },
}

describe('a form from a JSON Schema', () => {
  const fields = fieldsOf(schema) ?? []
  it('has a field for each property, of a kind that fits', () => {
    expect(fields.map(({ label, kind, required }) => [label, kind, required])).toEqual([
      ['orderId', 'text', true],
      ['amount', 'integer', false],
      ['express', 'boolean', false],
      ['speed', 'choice', false],
      ['at', 'date-time', false],
      ['address', 'group', false],
      ['lines', 'json', false],
      ['anything', 'json', false],
    ])
    expect(fields[0]?.hint).toBe('Which order – like ^o-')
    expect(fields[5]?.fields?.[0]).toMatchObject({ path: ['address', 'city'], required: true })
  })

  it('begins with the defaults', () => expect(initialInput(fields)).toEqual({ amount: 3, address: { city: 'Bern' } }))

  it('is none where the schema describes no object', () => {
    expect(fieldsOf(undefined)).toBeUndefined()
    expect(fieldsOf(true)).toBeUndefined()
    expect(fieldsOf({ type: 'string' })).toBeUndefined()
  })

  it('writes values where they belong, and takes them out when emptied', () => {
    const one = withValue({ a: 1 }, ['address', 'city'], 'Bern')
    expect(one).toEqual({ a: 1, address: { city: 'Bern' } })
    expect(valueAt(one, ['address', 'city'])).toBe('Bern')
    expect(withValue(one, ['a'], undefined)).toEqual({ address: { city: 'Bern' } })
    expect(withValue('not an object', ['a'], 1)).toEqual({ a: 1 })
  })

  it('reads text by the kind of its field and leaves what does not fit for the API to refuse', () => {
    expect(readText('integer', '12')).toBe(12)
    expect(readText('number', 'twelve')).toBe('twelve')
    expect(readText('text', '')).toBeUndefined()
    expect(readText('date-time', '2026-01-01T00:00Z')).toBe('2026-01-01T00:00:00.000Z')
  })
})
