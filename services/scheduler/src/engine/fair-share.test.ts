import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FairShare } from './fair-share.js'

/** Who is next among those that want something, as the pick orders it. */
function next(share: FairShare, wanting: readonly string[]): string {
  const { projects, ahead } = share.standings()
  const standing = new Map(projects.map((id, i) => [id, ahead[i] ?? 0]))
  return [...wanting].sort((a, b) => (standing.get(a) ?? 0) - (standing.get(b) ?? 0))[0] ?? ''
}

describe('fair share', () => {
  test('projects that always want something get the same, give or take one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 200 }), (count, turns) => {
        const share = new FairShare(() => 0)
        const projects = Array.from({ length: count }, (_, i) => `p${i}`)
        const got = new Map(projects.map((id) => [id, 0]))
        for (let turn = 0; turn < turns; turn += 1) {
          const id = next(share, projects)
          share.took(id)
          got.set(id, (got.get(id) ?? 0) + 1)
        }
        const served = [...got.values()]
        expect(Math.max(...served) - Math.min(...served)).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('a newcomer is next, and does not catch up on what it never asked for', () => {
    const share = new FairShare(() => 0)
    share.took('old', 1000)
    share.took('other', 1000)
    expect(next(share, ['old', 'other', 'new'])).toBe('new')
    share.took('new')
    expect(next(share, ['old', 'other', 'new'])).not.toBe('new')
  })

  test('a project that was away is forgotten', () => {
    let now = 0
    const share = new FairShare(() => now)
    share.took('a', 5)
    now = 60_000
    share.took('b', 1)
    expect(share.standings()).toEqual({ projects: ['b'], ahead: [1] })
  })
})
