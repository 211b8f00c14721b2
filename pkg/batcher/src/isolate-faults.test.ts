import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { failFaulty, ItemFailure, isolateFaults } from './index.js'

class Fault extends Error {}
const isFault = (error: unknown) => error instanceof Fault

describe('items at fault', () => {
  test('are alone in the end; all others are attempted in order and succeed once', async () => {
    const numbers = fc.uniqueArray(fc.nat(100), { minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(numbers, fc.func(fc.boolean()), async (items, isBad) => {
        const bad = new Set(items.filter((item) => isBad(item)))
        const answers = await isolateFaults<number, string>(items, {
          attempt: async (part) => {
            if (part.some((item) => bad.has(item))) throw new Fault()
            return part.map((item) => `good ${item}`)
          },
          isFault,
          alone: (item) => [`bad ${item}`],
        })
        expect(answers).toEqual(items.map((item) => (bad.has(item) ? `bad ${item}` : `good ${item}`)))
      }),
    )
  })

  test('cost the others a logarithm of attempts', async () => {
    let attempts = 0
    const items = Array.from({ length: 1024 }, (_, i) => i)
    await isolateFaults<number, number>(items, {
      attempt: async (part) => {
        attempts += 1
        if (part.includes(700)) throw new Fault()
        return [...part]
      },
      isFault,
      alone: () => [],
    })
    expect(attempts).toBe(21)
  })

  test('a failure that is no fault of an item ends the whole', async () => {
    const outage = new Error('outage')
    const whole = isolateFaults([1, 2], {
      attempt: () => Promise.reject(outage),
      isFault,
      alone: () => [],
    })
    await expect(whole).rejects.toBe(outage)
  })

  test('fail in their place, and an outage between two parts fails only what it hit', async () => {
    const outage = new Error('outage')
    const fault = new Fault()
    const answers = await failFaulty(
      [1, 2, 3, 4],
      async (part) => {
        if (part.includes(2)) throw fault
        if (part.includes(3)) throw outage
        return part.map(String)
      },
      isFault,
    )
    expect(answers).toEqual(['1', new ItemFailure(fault), new ItemFailure(outage), new ItemFailure(outage)])
  })
})
