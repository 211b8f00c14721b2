import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { errorClasses, isRetryable } from './error-class.js'
import { defaultRetryPolicy, type RetryPolicy, retryDelayMs } from './retry-policy.js'

const policy = (more: Partial<RetryPolicy>): RetryPolicy => ({ ...defaultRetryPolicy, jitter: 'none', ...more })

describe('retryDelayMs', () => {
  it('follows its backoff up to its bound', () => {
    const delays = (p: RetryPolicy) => [1, 2, 3, 4, 8].map((attempt) => retryDelayMs(p, attempt, 0))
    expect(delays(policy({}))).toEqual([1_000, 2_000, 4_000, 8_000, 60_000])
    expect(delays(policy({ backoff: 'linear' }))).toEqual([1_000, 2_000, 3_000, 4_000, 8_000])
    expect(delays(policy({ backoff: 'fixed', delayMs: 50 }))).toEqual([50, 50, 50, 50, 50])
  })

  it('is a whole number within bounds for every policy', () => {
    const policies = fc.record({
      maxAttempts: fc.integer({ min: 1, max: 1_000 }),
      backoff: fc.constantFrom('fixed' as const, 'linear' as const, 'exponential' as const),
      delayMs: fc.integer({ min: 0, max: 31_622_400_000 }),
      maxDelayMs: fc.integer({ min: 0, max: 31_622_400_000 }),
      jitter: fc.constantFrom('none' as const, 'full' as const),
    })
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(policies, fc.integer({ min: 0, max: 5_000 }), random, (p, attempt, r) => {
        const delay = retryDelayMs(p, attempt, r)
        expect(Number.isInteger(delay)).toBe(true)
        expect(delay).toBeGreaterThanOrEqual(0)
        expect(delay).toBeLessThanOrEqual(p.maxDelayMs)
        if (p.jitter === 'full') expect(delay).toBeLessThanOrEqual(retryDelayMs({ ...p, jitter: 'none' }, attempt, 0))
      }),
    )
  })

  it('spreads over the whole interval with full jitter', () => {
    const full = policy({ jitter: 'full' })
    expect([0, 0.25, 0.999].map((r) => retryDelayMs(full, 3, r))).toEqual([0, 1_000, 3_996])
  })
})

it('a peer that asks for time is given it, up to the longest delay of the policy', () => {
  const slow = policy({ delayMs: 100, maxDelayMs: 5_000 })
  expect([0, 50, 2_000, 60_000].map((asked) => retryDelayMs(slow, 1, 0, asked))).toEqual([100, 100, 2_000, 5_000])
})

describe('isRetryable', () => {
  it('knows the classes that are not retried by default', () => {
    const retried = errorClasses.filter((name) => isRetryable({ class: name }))
    expect(retried).toEqual(['timeout', 'http_5xx', 'network', 'lost_worker', 'user', 'unknown'])
  })

  it('lets on and notOn decide, notOn first', () => {
    expect(isRetryable({ class: 'validation' }, { on: ['validation'] })).toBe(true)
    expect(isRetryable({ class: 'network' }, { on: ['timeout'] })).toBe(false)
    expect(isRetryable({ class: 'network' }, { notOn: ['network'] })).toBe(false)
    expect(isRetryable({ class: 'network' }, { on: ['network'], notOn: ['network'] })).toBe(false)
  })

  it('retries the answers that mean "later"', () => {
    expect(isRetryable({ class: 'http_4xx', retryable: true })).toBe(true)
    expect(isRetryable({ class: 'http_4xx', retryable: false })).toBe(false)
    expect(isRetryable({ class: 'http_4xx', retryable: true }, { notOn: ['http_4xx'] })).toBe(false)
  })
})
