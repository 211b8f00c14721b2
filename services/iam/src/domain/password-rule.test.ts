import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assertStrongPassword, weaknessOf } from './password-rule.js'

test.each([
  ['', 'too_short'],
  ['elevenchars', 'too_short'],
  ['😀😁😂', 'too_short'],
  ['            ', 'one_character'],
  ['aaaaaaaaaaaa', 'one_character'],
  ['passwordpassword', 'common'],
  ['Password12345', 'common'],
  ['P@ssw0rd!2024', 'common'],
  ['$ecret123456', 'common'],
  ['123456789012', 'common'],
  ['abcdefghijkl', 'common'],
  ['lkjihgfedcba', 'common'],
  ['QWERTYUIOPAS', 'common'],
  ['adminadminadmin1', 'common'],
  ['Welcome-2024!!', 'common'],
])('%s is %s', (password, weakness) => expect(weaknessOf(password)).toBe(weakness))

test.each([
  'a long enough passphrase 7',
  'correct-horse-battery-9',
  'Tr0ub4dor&3-and-more',
  'test-password-123',
  'ünïcödé-pässwörd',
  'ababababababa',
])('%s is strong enough', (password) => expect(weaknessOf(password)).toBeUndefined())

test('random texts of twelve and more are never refused', () => {
  fc.assert(
    fc.property(fc.uuid(), (text) => {
      assertStrongPassword(text, '/password', 'a@example.org')
    }),
  )
})
