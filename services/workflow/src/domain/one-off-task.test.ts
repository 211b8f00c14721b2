import { compilePlan } from '@millrace/definition'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { oneOffDefinition } from './one-off-task.js'

const given = (payload: unknown): unknown => {
  const [task] = compilePlan(oneOffDefinition('x', undefined).definition).tasks
  return task?.with.evaluate({ input: payload, tasks: {}, run: {}, task: {} })
}

describe('oneOffDefinition', () => {
  it('hands any payload to the task as it is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const payload: unknown = JSON.parse(JSON.stringify(value))
        expect(JSON.stringify(given(payload))).toBe(JSON.stringify(payload))
      }),
      { numRuns: 50 },
    )
  })

  it.each<unknown>([
    { text: '${{ input }} and ${{ secrets.key }}', broken: '${{', nul: '\u0000', half: '\ud800' },
    { big: 1e300, beyond: 2 ** 63, unsafe: 2 ** 53, fraction: 0.1 },
    { constructor: 1, '': 2, list: Array(20_000).fill(0) },
  ])('also what looks like an expression, and numbers of any size (%#)', (payload) => {
    expect(given(payload)).toEqual(payload)
  })

  it('counts retries, not attempts', () => {
    const retryOf = (retries: number | undefined) => oneOffDefinition('x', retries).definition.tasks.task?.retry
    expect([retryOf(0), retryOf(4), retryOf(undefined)]).toEqual([{ maxAttempts: 1 }, { maxAttempts: 5 }, undefined])
  })

  it('refuses a map', () => {
    expect(() => oneOffDefinition('map', 0)).toThrow('not valid')
  })
})
