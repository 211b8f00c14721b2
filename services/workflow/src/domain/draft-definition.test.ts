import { describe, expect, it } from 'vitest'
import { definitionOfDraft, pathBetween, taskKeyOf } from './draft-definition.js'

const needs = (taskId: string, dependsOnTaskId: string) => ({ taskId, dependsOnTaskId })

describe('taskKeyOf', () => {
  it.each([
    ['fetch', 'fetch'],
    ['fetch_order-2', 'fetch_order-2'],
    ['Fetch order!', 'Fetch-order'],
    ['2nd try', '_2nd-try'],
    ['Größe', 'Gro-e'],
    ['…', '_'],
    ['x'.repeat(200), 'x'.repeat(63)],
  ])('%s → %s', (name, key) => {
    expect(taskKeyOf(name)).toBe(key)
    expect(key).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,62}$/)
  })
})

describe('pathBetween', () => {
  const edges = [needs('c', 'b'), needs('b', 'a'), needs('d', 'b')]
  it('finds what a task needs, at any distance, in the order of execution', () => {
    expect(pathBetween(edges, 'c', 'a')).toEqual(['a', 'b', 'c'])
    expect(pathBetween(edges, 'a', 'a')).toEqual(['a'])
  })
  it('finds nothing against the direction, or beside', () => {
    expect(pathBetween(edges, 'a', 'c')).toBeUndefined()
    expect(pathBetween(edges, 'c', 'd')).toBeUndefined()
  })
})

describe('definitionOfDraft', () => {
  it('is a definition with its tasks in the order in which they were added', () => {
    const task = (id: string, key: string, name = key) => ({ id, key, name, uses: 'noop', with: null })
    expect(definitionOfDraft('w', [task('1', 'b'), task('2', 'a-b', 'a b')], [needs('2', '1')])).toEqual({
      name: 'w',
      tasks: [
        { key: 'b', uses: 'noop' },
        { key: 'a-b', name: 'a b', uses: 'noop', needs: ['b'] },
      ],
    })
  })
})
