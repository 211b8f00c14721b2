import { describe, expect, it } from 'vitest'
import { TokenBuckets } from './token-bucket.js'

describe('TokenBuckets', () => {
  it("lets a minute's worth through at once, then as time refills it, each key by itself", () => {
    const buckets = new TokenBuckets(3)
    expect([0, 0, 0].map(() => buckets.take('a', 1_000))).toEqual([0, 0, 0])
    expect(buckets.take('a', 1_000)).toBe(20)
    expect(buckets.take('b', 1_000)).toBe(0)
    expect(buckets.take('a', 11_000)).toBe(10)
    expect(buckets.take('a', 21_000)).toBe(0)
    expect(buckets.take('a', 21_000)).toBe(20)
  })

  it('holds no more than a minute, and a clock that jumps back costs nothing', () => {
    const buckets = new TokenBuckets(1)
    expect(buckets.take('a', 1_000_000)).toBe(0)
    expect(buckets.take('a', 500)).toBe(60)
    expect(buckets.take('a', 900_000)).toBe(0)
    expect(buckets.take('a', 900_000)).toBe(60)
  })
})
