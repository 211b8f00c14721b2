import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sortGraph } from './find-cycles.js'

const edges = (nodes: number) => fc.array(fc.tuple(fc.nat(nodes - 1), fc.nat(nodes - 1)), { maxLength: nodes * 3 })

function needsOf(nodes: number, list: readonly (readonly [number, number])[]): number[][] {
  const needs: Set<number>[] = Array.from({ length: nodes }, () => new Set())
  for (const [task, need] of list) needs[task]?.add(need)
  return needs.map((set) => [...set])
}

const acyclic = fc
  .integer({ min: 1, max: 40 })
  .chain((n) =>
    fc.tuple(fc.constant(n), edges(n), fc.shuffledSubarray([...Array(n).keys()], { minLength: n, maxLength: n })),
  )
  .map(([n, list, names]) => {
    const forward = list
      .filter(([a, b]) => a !== b)
      .map(([a, b]) => [names[Math.max(a, b)], names[Math.min(a, b)]] as [number, number])
    return { n, forward }
  })

describe('sortGraph', () => {
  it('finds no cycle in any graph without one, and levels that respect every edge', () => {
    fc.assert(
      fc.property(acyclic, ({ n, forward }) => {
        const needs = needsOf(n, forward)
        const { levels, cycles } = sortGraph(needs)
        expect(cycles).toEqual([])
        needs.forEach((list, node) => {
          expect(levels[node]).toBe(list.length === 0 ? 0 : 1 + Math.max(...list.map((need) => levels[need] as number)))
        })
      }),
    )
  })

  it('reports a real cycle, in order, when one was planted', () => {
    fc.assert(
      fc.property(acyclic, fc.array(fc.nat(39), { minLength: 1, maxLength: 8 }), ({ n, forward }, picks) => {
        const ring = [...new Set(picks.map((p) => p % n))]
        const planted = ring.map((node, i) => [ring[(i + 1) % ring.length] as number, node] as [number, number])
        const needs = needsOf(n, [...forward, ...planted])
        const { cycles } = sortGraph(needs)
        expect(cycles.length).toBeGreaterThan(0)
        for (const cycle of cycles) {
          expect(new Set(cycle).size).toBe(cycle.length)
          cycle.forEach((node, i) => {
            expect(needs[cycle[(i + 1) % cycle.length] as number]).toContain(node)
          })
        }
      }),
    )
  })

  it('takes 2,000 tasks in a row', () => {
    const { levels } = sortGraph(Array.from({ length: 2_000 }, (_, i) => (i === 0 ? [] : [i - 1])))
    expect(levels[1_999]).toBe(1_999)
  })
})
