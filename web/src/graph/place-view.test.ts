import { describe, expect, it } from 'vitest'
import { boundsOf, rectsOf, sidesBeyond, viewOf } from './place-view'

const frame = { width: 1048, height: 648 }

describe('what of a graph is shown first', () => {
  it('is all of it in the middle, never larger than life', () => {
    expect(viewOf({ x: 0, y: 0, width: 200, height: 100 }, frame)).toEqual({ x: 424, y: 274, zoom: 1 })
    expect(viewOf({ x: 0, y: 0, width: 1_111, height: 100 }, frame).zoom).toBeCloseTo(0.9)
    expect(viewOf({ x: 0, y: 0, width: 1_333, height: 100 }, frame).zoom).toBeCloseTo(0.75)
  })

  it('is its beginning where all of it would be too small to read', () => {
    expect(viewOf({ x: 50, y: 0, width: 20_000, height: 100 }, frame)).toMatchObject({
      x: 24 - 36,
      zoom: 0.72,
    })
  })

  it('is what was chosen, where that would be off screen, and never what lies beyond the end', () => {
    const bounds = { x: 0, y: 0, width: 20_000, height: 100 }
    const seenAt = (x: number) => x * 0.72 + viewOf(bounds, frame, { x, y: 0, width: 200, height: 54 }).x
    expect(seenAt(10_000)).toBeCloseTo(frame.width / 2 - 72)
    expect(seenAt(19_800)).toBeCloseTo(frame.width - 24 - 144)
    expect(seenAt(0)).toBe(24)
  })

  it('tells on which sides there is more to see', () => {
    const bounds = { x: 0, y: 0, width: 2_000, height: 100 }
    expect(sidesBeyond(bounds, frame, { x: 24, y: 274, zoom: 0.85 })).toEqual(['right'])
    expect(sidesBeyond(bounds, frame, { x: -300, y: -40, zoom: 0.85 })).toEqual(['left', 'right', 'top'])
    expect(sidesBeyond(bounds, frame, { x: 0, y: 600, zoom: 0.5 })).toEqual([])
    expect(sidesBeyond(bounds, frame, { x: 0, y: 620, zoom: 0.5 })).toEqual(['bottom'])
  })

  it('counts the tasks of an open sub-workflow where its frame is', () => {
    const rects = rectsOf([
      { id: 'sub', position: { x: 300, y: 40 }, width: 400, height: 200 },
      { id: 'sub/a', position: { x: 16, y: 38 }, width: 200, height: 54, parentId: 'sub' },
    ])
    expect(rects.get('sub/a')).toEqual({ x: 316, y: 78, width: 200, height: 54 })
    expect(boundsOf(rects.values())).toEqual({ x: 300, y: 40, width: 400, height: 200 })
    expect(boundsOf([])).toEqual({ x: 0, y: 0, width: 0, height: 0 })
  })
})
