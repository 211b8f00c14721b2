export const profiles = ['latency', 'throughput', 'batch'] as const
export type Profile = (typeof profiles)[number]

/** What a profile sets; each can be set by itself, which then counts. */
export interface ProfileSettings {
  /** How many batches are decided and written at once. */
  shards: number
  /** Commands that one statement writes at most. */
  maxBatch: number
  cachedRuns: number
  /** Give a ready task to a worker that waits in the commit that made it ready, past the queue. */
  syncMatch: boolean
  /** How often waiting workers look into the queue without having been told. */
  pollMs: number
  /** How long readers of the scheduler's events may be left without a hint. */
  hintWithinMs: number
}

/**
 * `latency` is for people and short tasks: whatever is ready goes at once. `throughput` is for many short tasks at a
 * time: larger batches, more of them under way, and everything through the queue, whose looks take many. `batch` is for
 * long tasks by the thousand, where a second is nothing and an idle database is worth something.
 */
export const profileSettings: Readonly<Record<Profile, ProfileSettings>> = {
  latency: { shards: 2, maxBatch: 500, cachedRuns: 10_000, syncMatch: true, pollMs: 250, hintWithinMs: 30 },
  throughput: { shards: 4, maxBatch: 1000, cachedRuns: 50_000, syncMatch: false, pollMs: 250, hintWithinMs: 100 },
  batch: { shards: 2, maxBatch: 2000, cachedRuns: 50_000, syncMatch: false, pollMs: 1000, hintWithinMs: 500 },
}
