import { compilePlan, validateDefinition } from '@millrace/definition'
import { expect, test } from 'vitest'
import { parseRerunFrom } from './rerun-from.js'

const { definition } = validateDefinition({ name: 'w', tasks: { a: { uses: 'noop' }, 'b-2': { uses: 'noop' } } })
if (!definition) throw new Error('the definition is not valid')
const plan = compilePlan(definition)

test.each([
  [undefined, { from: '', index: -1 }],
  ['a', { from: 'a', index: -1 }],
  ['b-2', { from: 'b-2', index: -1 }],
])('%s is where it begins', (text, expected) => {
  expect(parseRerunFrom(text, plan)).toEqual(expected)
})

test.each(['', 'c', 'a[0]', 'a[', 'a[-1]', 'a[0]b', ' a', 'constructor', '__proto__', 'a'.repeat(80)])(
  '%s is refused',
  (text) => {
    expect(() => parseRerunFrom(text, plan)).toThrow(expect.objectContaining({ code: 'unprocessable' }))
  },
)
