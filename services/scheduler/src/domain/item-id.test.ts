import fc from 'fast-check'
import { v7, validate, version } from 'uuid'
import { expect, test } from 'vitest'
import { itemId, itemPlace } from './item-id.js'

const place = fc.record({ ordinal: fc.integer({ min: 0, max: 1999 }), index: fc.integer({ min: 0, max: 9999 }) })

test('an id tells where its item stands, is always the same, and is nobody else’s', () => {
  fc.assert(
    fc.property(place, place, (one, two) => {
      const map = v7()
      const id = itemId(map, one)
      expect(validate(id) && version(id) === 8).toBe(true)
      expect(itemPlace(id)).toEqual(one)
      expect(itemId(map, one)).toBe(id)
      expect(itemId(v7(), one)).not.toBe(id)
      const same = one.ordinal === two.ordinal && one.index === two.index
      expect(itemId(map, two) === id).toBe(same)
    }),
  )
})

test('the id of any other task tells nothing', () => {
  for (let i = 0; i < 100; i += 1) expect(itemPlace(v7())).toBeUndefined()
  expect(itemPlace('')).toBeUndefined()
  expect(itemPlace('not an id')).toBeUndefined()
})

test('children of one map stand together, in the time of their map', () => {
  const map = v7()
  const ids = [3, 1, 2].map((index) => itemId(map, { ordinal: 0, index }))
  for (const id of ids) expect(id.slice(0, 13)).toBe(map.slice(0, 13))
  expect([...ids].sort().map((id) => itemPlace(id)?.index)).toEqual([1, 2, 3])
})
