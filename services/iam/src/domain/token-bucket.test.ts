import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Bucket, takeToken } from './token-bucket.js'

function takeMany(perMinute: number, times: number[], from?: Bucket) {
  let bucket = from
  let taken = 0
  let wait = 0
  for (const at of times) {
    const result = takeToken(bucket, perMinute, at)
    bucket = result.bucket
    if (result.retryAfterSeconds === 0) taken += 1
    else wait = result.retryAfterSeconds
  }
  return { taken, wait, bucket }
}

test('a full bucket holds a minute’s worth, and no more', () => {
  const { taken, wait } = takeMany(60, Array(100).fill(0))
  expect(taken).toBe(60)
  expect(wait).toBe(1)
})

test('it refills evenly', () => {
  const { bucket } = takeMany(60, Array(60).fill(0))
  expect(takeToken(bucket, 60, 999).retryAfterSeconds).toBe(1)
  expect(takeToken(bucket, 60, 1001).retryAfterSeconds).toBe(0)
})

test('the wait it names is long enough', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), (perMinute) => {
      const { bucket } = takeMany(perMinute, Array(Math.min(perMinute, 2000)).fill(0), { tokens: 0.5, at: 0 })
      const refused = takeToken(bucket, perMinute, 0)
      return (
        refused.retryAfterSeconds === 0 ||
        takeToken(refused.bucket, perMinute, refused.retryAfterSeconds * 1000 + 1).retryAfterSeconds === 0
      )
    }),
  )
})

test('refusals cost nothing, and a clock that goes back gives nothing', () => {
  const { bucket } = takeMany(60, Array(60).fill(1000))
  const refused = takeMany(60, Array(50).fill(1000), bucket)
  expect(takeToken(refused.bucket, 60, 2001).retryAfterSeconds).toBe(0)
  expect(takeToken(bucket, 60, 0).retryAfterSeconds).toBeGreaterThan(0)
})
