import { expect, test } from 'vitest'
import { assertShallow } from './text-guard.js'

const listOf = (count: number, item: string) => `[${Array(count).fill(item).join(',')}]`
const objectOf = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',')}}`
const tooMany = expect.objectContaining({ code: 'unprocessable', reason: 'too_many_values' })

test.each([
  ['numbers', listOf(499_000, '1'), listOf(501_000, '1')],
  ['lists', listOf(249_000, '[]'), listOf(251_000, '[]')],
  ['keys', objectOf(124_000), objectOf(126_000)],
  ['objects of one key', listOf(99_000, '{"k":1}'), listOf(101_000, '{"k":1}')],
])('%s are bounded by what they cost', (_what, most, more) => {
  expect(() => assertShallow(most)).not.toThrow()
  expect(() => assertShallow(more)).toThrow(tooMany)
})

test('what stands in a text is neither a key nor a level', () => {
  const text = JSON.stringify({ t: '{[,:"\\'.repeat(200_000) })
  expect(() => assertShallow(text)).not.toThrow()
})

test('a hundred levels pass, one more does not', () => {
  expect(() => assertShallow('['.repeat(100) + ']'.repeat(100))).not.toThrow()
  expect(() => assertShallow('['.repeat(101))).toThrow(expect.objectContaining({ reason: 'too_deep' }))
})
