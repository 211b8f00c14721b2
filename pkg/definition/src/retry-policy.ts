import type { ErrorClass } from './error-class.js'

export interface RetryPolicy {
  maxAttempts: number
  backoff: 'fixed' | 'linear' | 'exponential'
  delayMs: number
  maxDelayMs: number
  jitter: 'none' | 'full'
  on?: ErrorClass[]
  notOn?: ErrorClass[]
}

export const defaultRetryPolicy: Readonly<RetryPolicy> = {
  maxAttempts: 3,
  backoff: 'exponential',
  delayMs: 1_000,
  maxDelayMs: 60_000,
  jitter: 'full',
}

/**
 * How long to wait after attempt number `attempt` (1 = the first) failed. `random` is in [0, 1) and is an argument so
 * that deciding stays pure. Full jitter draws from the whole interval (0, delay]. A peer that asked for `atLeastMs` is
 * given that time, up to the policy's own bound.
 */
export function retryDelayMs(policy: RetryPolicy, attempt: number, random: number, atLeastMs = 0): number {
  const ceiling = Math.min(unjittered(policy, Math.max(1, Math.floor(attempt))), policy.maxDelayMs)
  const drawn = Math.min(ceiling, Math.ceil(ceiling * Math.min(Math.max(random, 0), 1)))
  return Math.max(policy.jitter === 'none' ? ceiling : drawn, Math.min(atLeastMs, policy.maxDelayMs))
}

function unjittered(policy: RetryPolicy, attempt: number): number {
  switch (policy.backoff) {
    case 'fixed':
      return policy.delayMs
    case 'linear':
      return policy.delayMs * attempt
    case 'exponential':
      // 2^52 exceeds every bound already; beyond 2^1023 it would be Infinity, and 0 × Infinity is NaN.
      return policy.delayMs * 2 ** Math.min(attempt - 1, 52)
  }
}
