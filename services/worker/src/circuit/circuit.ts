export const circuitLimits = {
  windowMs: 30_000,
  minCalls: 10,
  /** Opens above it. */
  maxFailureShare: 0.5,
  /** The first wait; each failed probe doubles it. */
  openMs: 5_000,
  maxOpenMs: 60_000,
  /** A probe that has not ended by then no longer keeps another from trying. */
  probeMs: 10_000,
} as const

export type CallOutcome = 'ok' | 'failed' | 'none'
export type CircuitState = 'closed' | 'open' | 'half-open'

export type Admission =
  | { allowed: true; settle(outcome: CallOutcome, now: number): void }
  | { allowed: false; retryAfterMs: number }

interface Bucket {
  second: number
  calls: number
  failures: number
}

const unused: Readonly<Bucket> = { second: Number.NEGATIVE_INFINITY, calls: 0, failures: 0 }
const seconds = circuitLimits.windowMs / 1_000

/**
 * Closed, calls pass and are counted over a sliding window, a second at a time. Open, none passes until the wait is over.
 * Then one at a time passes as a probe: its success closes the circuit, its failure opens it for twice as long.
 * Time is an argument, in milliseconds that never go back.
 */
export class Circuit {
  private readonly buckets: Bucket[] = Array.from({ length: seconds }, () => ({ ...unused }))
  private openUntil: number | undefined
  private waitMs = 0
  private probe: { until: number } | undefined

  state(now: number): CircuitState {
    if (this.openUntil === undefined) return 'closed'
    return now < this.openUntil ? 'open' : 'half-open'
  }

  /** Until it may be tried again; undefined while calls pass. */
  retryAfterMs(now: number): number | undefined {
    return this.openUntil === undefined ? undefined : Math.max(0, this.openUntil - now)
  }

  /** Nothing is known about the peer that a new circuit would not know. */
  isIdle(now: number): boolean {
    return this.openUntil === undefined && this.counts(now).calls === 0
  }

  admit(now: number): Admission {
    if (this.openUntil === undefined) return { allowed: true, settle: once((outcome, at) => this.count(outcome, at)) }
    if (now < this.openUntil) return { allowed: false, retryAfterMs: this.openUntil - now }
    if (this.probe && now < this.probe.until) return { allowed: false, retryAfterMs: this.probe.until - now }
    const probe = { until: now + circuitLimits.probeMs }
    this.probe = probe
    return { allowed: true, settle: once((outcome, at) => this.settleProbe(probe, outcome, at)) }
  }

  /** A call that began before the circuit opened says nothing about whether the peer is back. */
  private count(outcome: CallOutcome, now: number): void {
    if (outcome === 'none' || this.openUntil !== undefined) return
    const second = Math.floor(now / 1_000)
    const bucket = this.buckets[second % seconds]
    if (!bucket) return
    if (bucket.second !== second) Object.assign(bucket, { second, calls: 0, failures: 0 })
    bucket.calls += 1
    if (outcome === 'failed') bucket.failures += 1
    const { calls, failures } = this.counts(now)
    if (calls >= circuitLimits.minCalls && failures > calls * circuitLimits.maxFailureShare) {
      this.open(now, circuitLimits.openMs)
    }
  }

  private settleProbe(probe: { until: number }, outcome: CallOutcome, now: number): void {
    if (this.openUntil === undefined) this.count(outcome, now)
    else if (outcome === 'ok') this.close()
    else if (this.probe === probe) {
      this.probe = undefined
      if (outcome === 'failed') this.open(now, Math.min(this.waitMs * 2, circuitLimits.maxOpenMs))
    }
  }

  private open(now: number, waitMs: number): void {
    this.waitMs = waitMs
    this.openUntil = now + waitMs
    this.probe = undefined
  }

  private close(): void {
    this.openUntil = undefined
    this.probe = undefined
    for (const bucket of this.buckets) Object.assign(bucket, unused)
  }

  private counts(now: number): { calls: number; failures: number } {
    const oldest = Math.floor(now / 1_000) - seconds
    let calls = 0
    let failures = 0
    for (const bucket of this.buckets) {
      if (bucket.second <= oldest) continue
      calls += bucket.calls
      failures += bucket.failures
    }
    return { calls, failures }
  }
}

function once(settle: (outcome: CallOutcome, now: number) => void): (outcome: CallOutcome, now: number) => void {
  let settled = false
  return (outcome, now) => {
    if (settled) return
    settled = true
    settle(outcome, now)
  }
}
