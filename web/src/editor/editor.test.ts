import { describe, expect, it } from 'vitest'
import { celTokens } from './cel-tokens'
import { keysAt, valuesAt } from './schema-lookup'
import { taskKeys } from './yaml-completion'
import { placeAt } from './yaml-path'

const text = `name: order
tasks:
  fetch:
    uses: http
    retry:
      ba
  pay:
    needs:
      - fe
    onFailure: c
`
const lines = text.split('\n')
const at = (line: number) => placeAt(lines, line, (lines[line] ?? '').length)

const schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string' },
    tasks: {
      oneOf: [
        { type: 'object', additionalProperties: { $ref: '#/$defs/task' } },
        { type: 'array', items: { $ref: '#/$defs/task' } },
      ],
    },
  },
  $defs: {
    task: {
      type: 'object',
      properties: {
        uses: { type: 'string', description: 'What runs' },
        retry: { $ref: '#/$defs/retry' },
        onFailure: { enum: ['stop', 'continue'] },
      },
    },
    retry: { type: 'object', properties: { backoff: { enum: ['fixed', 'linear'] }, jitter: {} } },
  },
}

describe('where one types in a definition', () => {
  it('is known by indentation, also in what does not parse', () => {
    expect(at(5)).toEqual({ path: ['tasks', 'fetch', 'retry'], typed: 'ba', valueOf: undefined })
    expect(at(9)).toEqual({ path: ['tasks', 'pay'], typed: 'c', valueOf: 'onFailure' })
    expect(at(8)).toEqual({ path: ['tasks', 'pay', 'needs', '0'], typed: 'fe', valueOf: undefined })
    expect(placeAt(['na'], 0, 2)).toEqual({ path: [], typed: 'na', valueOf: undefined })
  })

  it('decides which keys and values are offered, through references and alternatives', () => {
    expect(keysAt(schema, ['tasks', 'fetch', 'retry']).map(({ label }) => label)).toEqual(['backoff', 'jitter'])
    expect(keysAt(schema, [])[0]).toEqual({ label: 'name', detail: 'required' })
    expect(keysAt(schema, ['tasks', '0'])[0]).toEqual({ label: 'uses', detail: 'What runs' })
    expect(valuesAt(schema, ['tasks', 'pay', 'onFailure']).map(({ label }) => label)).toEqual(['stop', 'continue'])
  })

  it('knows the tasks that others may need', () => {
    expect(taskKeys(lines)).toEqual(['fetch', 'pay'])
    expect(taskKeys(['name: x'])).toEqual([])
  })
})

describe('an expression', () => {
  it('is told apart into texts, numbers, words and calls', () => {
    const cel = `\${{ size(input.items) > 1.5 && item.name in ["a \\"b\\"", 'in 2'] ? true : x1.in_2 }}`
    const found = celTokens(cel).map(({ at, length, kind }) => `${kind} ${cel.slice(at, at + length)}`)
    expect(found).toEqual(['call size', 'number 1.5', 'word in', 'text "a \\"b\\""', "text 'in 2'", 'word true'])
  })

  it('a text that is still being typed reaches to its end, and many of them cost no more than one', () => {
    expect(celTokens('x == "ab')).toEqual([{ at: 5, length: 3, kind: 'text' }])
    expect(celTokens('\\"'.repeat(200_000))).toHaveLength(1)
  })
})
