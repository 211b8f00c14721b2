import { describe, expect, it } from 'vitest'
import { isRecentId } from './recent-id.js'
import { readStatsRange } from './stats-range.js'

const now = Date.parse('2026-01-02T00:00:00.000Z')
const HOUR = 3_600_000

describe('the range of statistics', () => {
  it('is the last day by the hour unless told otherwise', () => {
    expect(readStatsRange({}, now)).toEqual({ from: new Date(now - 24 * HOUR), to: new Date(now), bucketMs: HOUR })
  })

  it.each([
    ['minute', 60_000],
    ['5m', 300_000],
    ['day', 24 * HOUR],
  ])('takes %s for a bucket', (bucket, bucketMs) => {
    expect(readStatsRange({ bucket, from: '2026-01-01T20:00:00Z' }, now).bucketMs).toBe(bucketMs)
  })

  it('picks a bucket that keeps a long time readable', () => {
    const { from, to, bucketMs } = readStatsRange({ from: '2016-01-01T00:00:00Z' }, now)
    expect((to.getTime() - from.getTime()) / bucketMs).toBeLessThanOrEqual(130)
  })

  it.each([
    { bucket: '0m' },
    { bucket: 'x' },
    { bucket: '1s' },
    { bucket: 'constructor' },
    { from: '2027-01-01T00:00:00Z' },
  ])('refuses %j', (query) => {
    expect(() => readStatsRange(query, now)).toThrow(expect.objectContaining({ code: 'unprocessable' }))
  })
})

describe('a recent id', () => {
  const idAt = (at: number) => {
    const hex = at.toString(16).padStart(12, '0')
    return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
  }

  it('is one whose own time is within the bound', () => {
    expect(isRecentId(idAt(now - 1_000), now, 60_000)).toBe(true)
    expect(isRecentId(idAt(now - 61_000), now, 60_000)).toBe(false)
    expect(isRecentId(idAt(now + 3_600_000), now, 60_000)).toBe(false)
    expect(isRecentId('00000000-0000-4000-8000-000000000000', now, 60_000)).toBe(false)
  })
})
