import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseEmail } from './email.js'
import { isOddPath, pathOf } from './request-path.js'
import { slugFromEmail, withSuffix } from './slug.js'

const slug = /^[a-z0-9][a-z0-9-]{0,62}$/

test.each([
  ['ada.lovelace@example.org', 'ada-lovelace'],
  ['--x--@example.org', 'x'],
  ['日本@example.org', 'project'],
  [`${'long-'.repeat(20)}@example.org`, 'long-long-long-long-long-long-long-long-long-long-long-long-lon'],
])('%s gives %s', (email, expected) => expect(slugFromEmail(email)).toBe(expected))

test('every address gives a valid slug, with and without suffix', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (local) => {
      const made = slugFromEmail(`${local.toLowerCase()}@x.org`)
      return slug.test(made) && slug.test(withSuffix(made))
    }),
  )
})

test.each(['a@b.c', 'First.Last+tag@sub.example.org', 'o’brien@example.org', 'admin@millrace.local', 'a@localhost'])(
  '%s is an address',
  (email) => expect(parseEmail(email)).toBe(email.toLowerCase()),
)

test.each([
  '',
  'a',
  '@b',
  'a@',
  'a b@c.d',
  'a@b..c',
  'a@-b.c',
  'a@b.c\n',
  'a@b@c',
  '<a@b.c>',
  'a@[127.0.0.1]'.repeat(2),
])('%s is none', (email) => {
  if (email === 'a@b.c\n') expect(parseEmail(email)).toBe('a@b.c')
  else expect(() => parseEmail(email)).toThrow('not valid')
})

test.each(['/api/v1/runs', '/', '/docs/', '/api/v1/workflows/a%20b', '/.well-known/jwks.json'])('%s is plain', (path) =>
  expect(isOddPath(path)).toBe(false),
)

test.each([
  '',
  'api',
  '//api/v1/runs',
  '/api//v1',
  '/api/./v1',
  '/api/../v1',
  '/api/..',
  '/api%2fv1',
  '/api%5Cv1',
  '/api\\v1',
  '/api/%2e%2e/x',
  '/api/v1%00',
  '/api/v1\n',
  '/api v1',
])('%j is odd', (path) => expect(isOddPath(path)).toBe(true))

test('the query and the fragment are no part of the path', () => {
  expect(pathOf('/a?b=/c#d')).toBe('/a')
  expect(pathOf('/a#b?c')).toBe('/a')
  expect(pathOf('/a')).toBe('/a')
})
