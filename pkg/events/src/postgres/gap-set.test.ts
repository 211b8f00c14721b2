import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { GapSet } from './gap-set.js'

const missing = (gaps: GapSet): number[] => {
  const { lows, highs } = gaps.ranges
  return lows.flatMap((low, i) => Array.from({ length: (highs[i] as number) - low + 1 }, (_, n) => low + n))
}

describe('a set of gaps', () => {
  test('holds exactly the ids that were added and have not appeared', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 40 })
    fc.assert(
      fc.property(ids, fc.array(ids, { maxLength: 5 }), (present, appearing) => {
        const gaps = new GapSet()
        let position = 0
        for (const id of [...present].sort((a, b) => a - b)) {
          if (id > position + 1) gaps.add(position + 1, id - 1)
          position = id
        }
        const model = new Set(Array.from({ length: position }, (_, i) => i + 1).filter((id) => !present.includes(id)))
        for (const round of appearing) {
          const found = round.filter((id) => model.has(id)).sort((a, b) => a - b)
          for (const id of found) model.delete(id)
          gaps.fill(found)
          const expected = [...model].sort((a, b) => a - b)
          expect(missing(gaps)).toEqual(expected)
          expect(gaps.size).toBe(model.size)
          expect(gaps.lowest).toBe(expected[0])
          expect(gaps.isEmpty).toBe(model.size === 0)
        }
      }),
    )
  })

  test('is forgotten only when everyone who could fill it has ended', () => {
    const gaps = new GapSet()
    gaps.add(5, 9)
    gaps.settle({ xmin: 90n, next: 100n })
    expect(gaps.size).toBe(5)
    gaps.settle({ xmin: 99n, next: 200n })
    expect(gaps.size).toBe(5)
    gaps.settle({ xmin: 100n, next: 300n })
    expect(gaps.isEmpty).toBe(true)
  })

  test('a gap found later has its own, later bound; what remains of a filled one keeps its bound', () => {
    const gaps = new GapSet()
    gaps.add(1, 3)
    gaps.settle({ xmin: 1n, next: 10n })
    gaps.add(7, 7)
    gaps.fill([2])
    gaps.settle({ xmin: 5n, next: 20n })
    expect(missing(gaps)).toEqual([1, 3, 7])
    gaps.settle({ xmin: 10n, next: 30n })
    expect(missing(gaps)).toEqual([7])
    gaps.settle({ xmin: 20n, next: 30n })
    expect(gaps.isEmpty).toBe(true)
  })

  test('is never forgotten by a look that did not bring the bound of the xids given so far', () => {
    const gaps = new GapSet()
    gaps.add(1, 1)
    expect(gaps.needsHorizon).toBe(true)
    gaps.settle({ xmin: 10n })
    gaps.settle({ xmin: 1_000n })
    expect(gaps.size).toBe(1)
    gaps.settle({ xmin: 1_000n, next: 1_001n })
    expect(gaps.needsHorizon).toBe(false)
    gaps.settle({ xmin: 1_001n })
    expect(gaps.isEmpty).toBe(true)
  })

  test('a never-used range of a billion ids costs nothing', () => {
    const gaps = new GapSet()
    gaps.add(1, 1_000_000_000)
    gaps.fill([500])
    expect(gaps.ranges).toEqual({ lows: [1, 501], highs: [499, 1_000_000_000] })
  })
})
