import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { COMMON_SHARE, FairShare } from './fair-share.js'

/** Who is next among those that want something, as the dequeue orders it. */
function next(share: FairShare, wanting: readonly string[]): string {
  const { projects, ahead } = share.virtualTimes()
  const served = new Map(projects.map((id, i) => [id, ahead[i] ?? 0]))
  return [...wanting].sort((a, b) => (served.get(a) ?? 0) - (served.get(b) ?? 0))[0] ?? ''
}

/** Whose finish comes first, as the dequeue orders a project's queues. */
function nextQueue(share: FairShare, queues: readonly string[], weightOf: (queue: string) => number): string {
  const { shares } = share.virtualTimes()
  const ahead = (queue: string) => shares.ahead[shares.queues.indexOf(queue)] ?? 0
  const finish = (queue: string) => ahead(queue) + 1 / weightOf(queue)
  return [...queues].sort((a, b) => finish(a) - finish(b))[0] ?? ''
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
    for (let i = 0; i < 1000; i += 1) {
      share.took('old')
      share.took('other')
    }
    expect(next(share, ['old', 'other', 'new'])).toBe('new')
    share.took('new')
    expect(next(share, ['old', 'other', 'new'])).not.toBe('new')
  })

  test('a project that was away is forgotten', () => {
    let now = 0
    const share = new FairShare(() => now)
    share.took('a')
    share.took('a', { key: 'fast', weight: 2 })
    now = 60_000
    share.took('b')
    expect(share.virtualTimes()).toEqual({
      projects: ['b'],
      ahead: [1],
      shares: { projects: [], queues: [], ahead: [] },
    })
  })

  test('queues of a project that always want something get turns by their weights', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }), (weights) => {
        const share = new FairShare(() => 0)
        const queues = [COMMON_SHARE, ...weights.map((_, i) => `q${i}`)]
        const weightOf = (queue: string) => (queue === COMMON_SHARE ? 1 : (weights[Number(queue.slice(1))] ?? 1))
        const got = new Map(queues.map((queue) => [queue, 0]))
        const rounds = 20
        const turns = rounds * queues.reduce((sum, queue) => sum + weightOf(queue), 0)
        for (let turn = 0; turn < turns; turn += 1) {
          const queue = nextQueue(share, queues, weightOf)
          share.took('p', { key: queue, weight: weightOf(queue) })
          got.set(queue, (got.get(queue) ?? 0) + 1)
        }
        // Each newcomer comes in one round before those who are there.
        for (const queue of queues) {
          const due = rounds * weightOf(queue)
          expect(Math.abs((got.get(queue) ?? 0) - due)).toBeLessThanOrEqual(weightOf(queue) * queues.length + 1)
        }
      }),
    )
  })

  test('what comes back counts as not taken, and gets nobody further ahead than it came in', () => {
    const share = new FairShare(() => 0)
    for (const id of ['a', 'b']) for (let i = 0; i < 10; i += 1) share.took(id)
    const before = share.virtualTimes()
    for (let i = 0; i < 5; i += 1) share.took('a')
    for (let i = 0; i < 5; i += 1) share.returned('a')
    expect(share.virtualTimes()).toEqual(before)
    for (let i = 0; i < 10; i += 1) share.returned('a')
    const back = share.virtualTimes()
    expect(back.ahead).toEqual([1, 20])
    for (let i = 0; i < 50; i += 1) share.returned('a')
    share.returned('nobody')
    expect(share.virtualTimes()).toEqual(back)
  })

  test('what comes back to a queue counts as not taken by it', () => {
    const share = new FairShare(() => 0)
    share.took('p', { key: 'heavy', weight: 2 })
    share.took('p', { key: 'light', weight: 1 })
    const { shares } = share.virtualTimes()
    share.took('p', { key: 'heavy', weight: 2 })
    share.returned('p', { key: 'heavy', weight: 2 })
    expect(share.virtualTimes().shares).toEqual(shares)
  })
})
