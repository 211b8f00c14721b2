import { describe, expect, it } from 'vitest'
import type { Schedule } from '../api/types'
import { fillBuckets, nextDue, rangeInWords, rangeOf, successRate, timesOf } from './overview-model'

describe('the overview', () => {
  it('counts only what ended in the success rate', () => {
    expect(successRate({ succeeded: 3, failed: 1, running: 9 })).toBe(0.75)
    expect(successRate({ running: 9 })).toBeUndefined()
  })

  it('draws every moment of its range, also those in which nothing ended', () => {
    const at = (ms: number) => new Date(ms).toISOString()
    const filled = fillBuckets([{ from: at(120_000), n: 7 }], 60_000, 240_000, 60_000)
    expect(filled.map((each) => [each.at, each.bucket?.n])).toEqual([
      [60_000, undefined],
      [120_000, 7],
      [180_000, undefined],
    ])
    expect(fillBuckets([], 0, 1e15, 1)).toHaveLength(500)
  })

  it('knows no range but its own, and says which one a number was counted over', () => {
    expect(rangeOf('nonsense').id).toBe('24h')
    expect(rangeOf('24h', '2026-01-01T00:00:00Z', '2026-01-01T00:03:00Z').bucket).toBe('5s')
    expect(rangeOf('24h', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z').bucket).toBe('1m')
    expect(rangeInWords(rangeOf('7d'))).toBe('last week')
    const brushed = rangeOf('24h', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z')
    expect(rangeInWords(brushed)).toMatch(/2026.* – .*2026/)
    const times = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T01:00:00.000Z' }
    expect(timesOf(brushed, Date.now())).toEqual(times)
    expect(timesOf(rangeOf('1h'), Date.parse(times.to))).toEqual(times)
  })

  it('names the schedules that come due soonest, and none that is paused', () => {
    const schedule = (id: string, nextAt: string | null) => ({ id, nextAt }) as Schedule
    const all = [
      schedule('late', '2026-02-01T00:00:00Z'),
      schedule('paused', null),
      schedule('soon', '2026-01-01T00:00:00Z'),
    ]
    expect(nextDue(all, 5).map(({ id }) => id)).toEqual(['soon', 'late'])
    expect(nextDue(all, 1).map(({ id }) => id)).toEqual(['soon'])
  })
})
