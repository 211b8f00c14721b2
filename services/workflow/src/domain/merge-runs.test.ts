import fc from 'fast-check'
import { expect, test } from 'vitest'
import { comparisons, mergeSources, type Position } from './merge-runs.js'

const positions = fc.uniqueArray(
  fc.record({ createdAt: fc.integer({ min: 10, max: 30 }).map((n) => `2026-01-01T00:00:${n}.000Z`), id: fc.uuid() }),
  { selector: (p) => p.id, maxLength: 60 },
)

test.each(['newest', 'oldest'] as const)('pages over two sources give the whole, %s first, once', (order) => {
  const compare = comparisons[order]
  fc.assert(
    fc.property(positions, fc.func(fc.boolean()), fc.integer({ min: 1, max: 7 }), (all, isLeft, limit) => {
      const sorted = [...all].sort(compare)
      const left = sorted.filter((p) => isLeft(p.id))
      const right = sorted.filter((p) => !isLeft(p.id))
      const page = (items: Position[], before: Position | undefined) => {
        const found = items.filter((p) => before === undefined || compare(p, before) > 0).slice(0, limit)
        return { items: found, end: found.length === limit ? found.at(-1) : undefined }
      }
      const seen: Position[] = []
      let before: Position | undefined
      do {
        const merged = mergeSources(page(left, before), page(right, before), order)
        seen.push(...merged.items)
        before = merged.floor
      } while (before !== undefined)
      expect(seen).toEqual(sorted)
    }),
  )
})
