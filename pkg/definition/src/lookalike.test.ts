import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lookalike } from './lookalike.js'
import { builtIns } from './schema/with-shapes.js'

test.each([
  ['htpp', 'http'],
  ['HTTP', 'http'],
  ['htt', 'http'],
  ['emial', 'email'],
  ['webhok', 'webhook'],
  ['approvall', 'approval'],
  ['Sleep', 'sleep'],
  ['sq', 'sql'],
])('%s may be meant as %s', (uses, meant) => {
  expect(lookalike(uses)).toBe(meant)
})

test.each(['payments.charge', 'invoice', 'resize-image', 'post', 'x', '', 'transform-order'])(
  '%j is a name of its own',
  (uses) => {
    expect(lookalike(uses)).toBeUndefined()
  },
)

test('a built-in is never mistaken for another, and any text has an answer', () => {
  for (const name of builtIns) expect(lookalike(name)).toBeUndefined()
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => [undefined, ...builtIns].includes(lookalike(text))))
})
