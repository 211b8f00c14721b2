import { describe, expect, test } from 'vitest'
import { UseCounter } from './use-counter.js'

describe('counting uses', () => {
  test('a token is taken as often as allowed and no more', () => {
    const counter = new UseCounter()
    expect([counter.take('a', 100, 1, 0), counter.take('a', 100, 1, 1)]).toEqual([true, false])
    expect([1, 2, 3].map((now) => counter.take('b', 100, 2, now))).toEqual([true, true, false])
  })

  test('what has ended is forgotten, a little with each token that comes', () => {
    const counter = new UseCounter()
    for (let index = 0; index < 100; index++) counter.take(`old-${index}`, 100, 1, 0)
    for (let index = 0; index < 50; index++) counter.take(`new-${index}`, 300, 1, 200)
    expect(counter.size).toBe(50)
  })

  test('memory is bounded: the oldest go first', () => {
    const counter = new UseCounter(10)
    for (let index = 0; index < 1000; index++) counter.take(String(index), 1_000_000, 1, 0)
    expect(counter.size).toBe(10)
    expect(counter.take('999', 1_000_000, 1, 0)).toBe(false)
  })
})
