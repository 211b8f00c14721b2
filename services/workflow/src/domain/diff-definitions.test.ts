import { describe, expect, it } from 'vitest'
import { diffTasks, diffValues } from './diff-definitions.js'

describe('diffValues', () => {
  it('names each field that changed, with both values', () => {
    const before = { name: 'w', timeout: '1m', tasks: { a: { uses: 'noop' }, 'x/y': { uses: 'http', needs: ['a'] } } }
    const after = {
      name: 'w',
      tasks: { a: { uses: 'noop' }, 'x/y': { uses: 'http', needs: ['a', 'b'] }, b: { uses: 'noop' } },
    }
    expect(diffValues(before, after)).toEqual([
      { op: 'remove', path: '/timeout', before: '1m' },
      { op: 'replace', path: '/tasks/x~1y/needs', before: ['a'], after: ['a', 'b'] },
      { op: 'add', path: '/tasks/b', after: { uses: 'noop' } },
    ])
    expect(diffTasks(before.tasks, after.tasks)).toEqual({ added: ['b'], removed: [], changed: ['x/y'] })
  })

  it('does not mind the order of fields', () => {
    expect(diffValues({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 })).toEqual([])
  })

  it('sees a value become null, and a field named like a prototype', () => {
    expect(diffValues({ a: 1 }, { a: null })).toEqual([{ op: 'replace', path: '/a', before: 1, after: null }])
    expect(diffValues({}, { constructor: 1 })).toEqual([{ op: 'add', path: '/constructor', after: 1 }])
  })
})
