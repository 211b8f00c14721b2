import { expect, test } from 'vitest'
import { backoffMs } from './backoff.js'

const terms = { firstMs: 100, maxMs: 1000 }

test('waits double from the first to a bound, however many tries there were', () => {
  expect([0, 1, 2, 3, 4, 5, 5000].map((tries) => backoffMs(tries, terms))).toEqual([
    ...[100, 100, 200, 400, 800],
    ...[1000, 1000],
  ])
})

test('chance takes away up to half of a wait', () => {
  expect(backoffMs(3, { ...terms, random: 0 })).toBe(200)
  expect(backoffMs(3, { ...terms, random: 0.5 })).toBe(300)
})
