import { describe, expect, it } from 'vitest'
import type { ExpressionError } from './expression-error.js'
import { runVariables, type Scope } from './scope.js'
import { compileTemplate } from './template.js'

const options = { variables: runVariables, isTask: () => false, taskKeys: () => [], allowSecrets: false }

function run(source: string, input: unknown = {}): unknown {
  const { template, problems } = compileTemplate(`\${{ ${source} }}`, options)
  expect(problems).toEqual([])
  return template.evaluate({ input, tasks: {}, run: {}, task: {} } satisfies Scope)
}

function codeOf(source: string, input?: unknown): string {
  try {
    run(source, input)
  } catch (error) {
    return (error as ExpressionError).code
  }
  return 'no error'
}

describe('JSON in expressions', () => {
  it('parses a text into values that keep their types', () => {
    const text = '{"a": [1, 2.5, {"b": null}], "constructor": "x"}'
    expect(run('json.parse(input.text)', { text })).toEqual(JSON.parse(text))
    expect(run('json.parse(input.text).a[0] + 1', { text })).toBe(2)
    expect(run('json.parse(input.text).a.map(x, x).size()', { text })).toBe(3)
  })

  it('encodes values as text that parses to the same', () => {
    const value = { a: [1, 2.5, null, 'ü"\n'], b: { c: true } }
    expect(JSON.parse(run('json.encode(input)', value) as string)).toEqual(value)
    expect(run('json.parse(json.encode(input)) == input', value)).toBe(true)
    expect(run('json.encode({"n": 1 + 1})')).toBe('{"n":2}')
  })

  it('fails plainly on a text that is no JSON', () => {
    expect(codeOf('json.parse("{")')).toBe('expression_failed')
  })

  it('is bounded: neither parsing nor encoding a large value again and again is free', () => {
    const big = Array.from({ length: 9_000 }, (_, i) => ({ i, text: 'x'.repeat(20) }))
    const input = { big, text: JSON.stringify(big) }
    const before = performance.now()
    expect(codeOf('input.big.map(x, json.parse(input.text)).size()', input)).toBe('expression_too_expensive')
    expect(codeOf('input.big.map(x, json.encode(input.big)).size()', input)).toBe('expression_too_expensive')
    // At most a fifth of a second each where measured; the bound is for a loaded machine.
    expect(performance.now() - before).toBeLessThan(10_000)
    expect(codeOf('json.encode(input)', { text: 'x'.repeat(1_100_000) })).toBe('result_too_large')
  })
})
