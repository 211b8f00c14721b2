import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AdmissionRow, admitRuns } from './admit-runs.js'
import { admitTasks, type Candidate } from './admit-tasks.js'
import { emptyWindow, rateFreeAt, rateRoom, recordStart } from './rate-window.js'
import { slotName } from './task-limits.js'

describe('a rate', () => {
  test('lets no window hold more starts than its limit, and opens when it says', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 5000 }),
        fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 300 }),
        (limit, perMs, steps) => {
          const rate = { limit, perMs }
          let window = emptyWindow
          let now = 1_000_000
          const starts: number[] = []
          for (const step of steps) {
            now += step
            const freeAt = rateFreeAt(window, rate, now)
            expect(freeAt <= now).toBe(rateRoom(window, rate, now) > 0)
            expect(rateRoom(window, rate, Math.max(now, freeAt))).toBeGreaterThan(0)
            if (freeAt > now) continue
            window = recordStart(window, rate, now)
            starts.push(now)
          }
          starts.forEach((at, i) => {
            const before = starts[i - limit]
            if (before !== undefined) expect(at - before).toBeGreaterThanOrEqual(perMs)
          })
          expect(window.starts.length).toBeLessThanOrEqual(66)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('admission of tasks', () => {
  const limitOf = fc.record({ key: fc.constantFrom('a', 'b', 'c'), limit: fc.integer({ min: 1, max: 4 }) })

  test('takes all keys or none, never exceeds a limit, and parks only who lacks', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uniqueArray(limitOf, { selector: ({ key }) => key, maxLength: 3 }), { maxLength: 20 }),
        fc.integer({ min: 0, max: 20 }),
        (wanted, max) => {
          const candidates: Candidate[] = wanted.map((limits, i) => ({
            taskId: `t${i}`,
            projectId: 'p',
            limits: limits.map((limit) => ({ scope: 'task' as const, ...limit })),
          }))
          const { leased, parked, slots } = admitTasks(candidates, new Map(), max, 0)
          expect(leased.length).toBeLessThanOrEqual(max)
          const held = new Map<string, number>()
          for (const { limits } of leased) {
            for (const { key, limit } of limits) {
              const count = (held.get(key) ?? 0) + 1
              held.set(key, count)
              expect(count).toBeLessThanOrEqual(limit)
            }
          }
          for (const [key, count] of held) expect(slots.get(slotName('p', { scope: 'task', key }))?.inUse).toBe(count)
          for (const { lack } of parked) expect(lack.inUse).toBeGreaterThanOrEqual(lack.limit.limit)
        },
      ),
    )
  })
})

describe('admission of runs', () => {
  const row = (id: number, onLimit: AdmissionRow['onLimit'], limit: number): AdmissionRow => ({
    runId: `r${id}`,
    id,
    limit,
    onLimit,
  })

  test('never lets more begin than the limit has room for, whatever the mode', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<AdmissionRow['onLimit']>('queue', 'cancel-new', 'cancel-oldest'),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: 4 }),
        fc.integer({ min: 0, max: 8 }),
        (mode, limit, under, waits) => {
          const liveTotal = Math.min(under, limit)
          const live = Array.from({ length: liveTotal }, (_, i) => row(i, mode, limit))
          const waiting = Array.from({ length: waits }, (_, i) => row(100 + i, mode, limit))
          const { admitted, refused, leaving } = admitRuns({ waiting, live, liveTotal, inUse: liveTotal })
          expect(liveTotal + admitted.length).toBeLessThanOrEqual(limit)
          if (mode === 'queue') expect([...refused, ...leaving]).toEqual([])
          if (mode === 'cancel-new') expect(admitted.length + refused.length).toBe(waits)
          if (mode === 'cancel-oldest' && waits > 0) {
            expect([...admitted, ...refused, ...leaving].length).toBeGreaterThan(0)
            expect(refused).not.toContain(waiting.at(-1))
            expect(liveTotal - leaving.length + waits - refused.length).toBeLessThanOrEqual(limit)
          }
        },
      ),
    )
  })
})
