import { describe, expect, it } from 'vitest'
import { defaultRetryScheduleMs, nextDelayMs } from './retry-schedule.js'

describe('retry schedule', () => {
  it('is the one that is promised', () => {
    const seconds = defaultRetryScheduleMs.map((ms) => ms / 1000)
    expect(seconds).toEqual([1, 5, 15, 60, 300, 1800, 7200, 21_600, 54_000])
  })

  it('adds up to a fifth and never takes away', () => {
    expect(nextDelayMs([1000, 5000], 1, 0)).toBe(1000)
    expect(nextDelayMs([1000, 5000], 2, 0.999999)).toBe(6000)
  })

  it('ends', () => {
    expect(nextDelayMs([1000], 2, 0)).toBeUndefined()
    expect(nextDelayMs([], 1, 0)).toBeUndefined()
  })

  it('waits longer when asked, but not for ever', () => {
    expect(nextDelayMs([1000], 1, 0, 30_000)).toBe(30_000)
    expect(nextDelayMs([1000], 1, 0, 10)).toBe(1000)
    expect(nextDelayMs([1000], 1, 0, 10 ** 12)).toBe(3_600_000)
    expect(nextDelayMs([1000], 2, 0, 30_000)).toBeUndefined()
  })
})
