import { expect, test } from 'vitest'
import { assertSecretName, assertSecretValue } from './secret.js'

test.each(['a', '_', 'API_KEY', 'a1', `a${'b'.repeat(62)}`])('%s is a name', (name) => {
  expect(() => assertSecretName(name)).not.toThrow()
})

test.each(['', '1a', 'a-b', 'a.b', 'é', 'a b', 'a\n', `a${'b'.repeat(63)}`])('%j is no name', (name) => {
  expect(() => assertSecretName(name)).toThrow(/named by/)
})

test('a value is at most 64 KiB of UTF-8', () => {
  expect(() => assertSecretValue('x'.repeat(65_536))).not.toThrow()
  expect(() => assertSecretValue('x'.repeat(65_537))).toThrow(/bytes/)
  expect(() => assertSecretValue('é'.repeat(32_769))).toThrow(/bytes/)
})

test('a value that UTF-8 would change is refused', () => {
  expect(() => assertSecretValue('a\ud800b')).toThrow(/UTF-8/)
  expect(() => assertSecretValue('\u0000\n😀')).not.toThrow()
})
