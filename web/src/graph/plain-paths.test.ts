import { expect, it } from 'vitest'
import { plainPaths } from './plain-paths'

const rects = new Map([
  ['a', { x: 0, y: 0, width: 100, height: 40 }],
  ['b', { x: 200, y: 60, width: 100, height: 40 }],
])
const edge = (className: string) => ({ source: 'a', target: 'b', className })

it('draws what undoes and what is lit apart from the other edges of a large graph', () => {
  expect(plainPaths([edge('edge')], rects, 'right')).toEqual({ plain: 'M100 20L200 80', undoes: '', lit: '' })
  expect(plainPaths([edge('edge edge-undoes')], rects, 'right').undoes).toBe('M100 20L200 80')
  expect(plainPaths([edge('edge edge-lit')], rects, 'down').lit).toBe('M50 40L250 60')
  expect(plainPaths([{ ...edge('edge'), target: 'gone' }], rects, 'right').plain).toBe('')
})
