import { expect, test } from 'vitest'
import { resolveRange } from './byte-range.js'

const part = (start: number, end: number) => ({ kind: 'part', range: { start, end } })

test.each([
  [undefined, 10, { kind: 'whole' }],
  ['bytes=0-3', 10, part(0, 3)],
  ['bytes=4-', 10, part(4, 9)],
  ['bytes=4-99', 10, part(4, 9)],
  ['bytes=-3', 10, part(7, 9)],
  ['bytes=-99', 10, part(0, 9)],
  ['bytes=9-9', 10, part(9, 9)],
  ['bytes=10-', 10, { kind: 'unsatisfiable' }],
  ['bytes=-0', 10, { kind: 'unsatisfiable' }],
  ['bytes=0-', 0, { kind: 'unsatisfiable' }],
  ['bytes=-5', 0, { kind: 'unsatisfiable' }],
  ['bytes=5-2', 10, { kind: 'whole' }],
  ['bytes=-', 10, { kind: 'whole' }],
  ['bytes=0-1,3-4', 10, { kind: 'whole' }],
  ['lines=0-1', 10, { kind: 'whole' }],
  ['bytes=a-b', 10, { kind: 'whole' }],
  ['bytes=99999999999999999999-', 10, { kind: 'whole' }],
])('%s of %i bytes', (header, size, expected) => {
  expect(resolveRange(header, size)).toEqual(expected)
})
