import { expect, it } from 'vitest'
import { isMediaType } from './media-type.js'

it.each([
  'text/plain',
  'application/vnd.api+json; charset=utf-8',
  'Text/CSV ; header="present; really" ; a=b',
  'text/plain; name="a \\"quoted\\" word"',
])('takes %s', (text) => expect(isMediaType(text)).toBe(true))

it.each([
  '',
  'text',
  'text/',
  '/plain',
  'text/plain;',
  'text/plain; a',
  'text/plain; a="',
  'text/plain; a="b"c"',
  'a/b\n',
])('refuses %j', (text) => expect(isMediaType(text)).toBe(false))

it('takes no longer for text that was made to take long', () => {
  const before = performance.now()
  expect(isMediaType(`a/b${';a=""'.repeat(40)}!`)).toBe(false)
  expect(isMediaType(`a/b${';a="";a='.repeat(25)}\n`)).toBe(false)
  expect(performance.now() - before).toBeLessThan(50)
})
