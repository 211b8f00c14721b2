import type { Percentiles, Stats, StatsBucket, StatusStats } from '../port.js'
import { jobStatuses, runStatuses } from './statuses.js'

export function emptyStats(statuses: readonly string[]): StatusStats {
  const none = { p50: null, p95: null, p99: null }
  return {
    total: 0,
    counts: Object.fromEntries(statuses.map((status) => [status, 0])),
    durations: none,
    queueWait: none,
  }
}

/** Counts what is added, one listed job or run at a time. */
export class Summary {
  private total = 0
  private readonly counts: Record<string, number>
  private readonly durations: number[] = []
  private readonly waits: number[] = []

  constructor(statuses: readonly string[]) {
    this.counts = emptyStats(statuses).counts
  }

  add(listed: { status: string | null; durationMs: number | null; queueWaitMs: number | null }): void {
    this.total += 1
    if (listed.status !== null) this.counts[listed.status] = (this.counts[listed.status] ?? 0) + 1
    if (listed.durationMs !== null) this.durations.push(listed.durationMs)
    if (listed.queueWaitMs !== null) this.waits.push(listed.queueWaitMs)
  }

  get stats(): StatusStats {
    const { total, counts } = this
    return { total, counts, durations: percentiles(this.durations), queueWait: percentiles(this.waits) }
  }
}

/** The first value that so many are not above, as PostgreSQL's percentile_disc. */
function percentiles(values: number[]): Percentiles {
  const sorted = Float64Array.from(values).sort()
  const at = (share: number): number | null => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) }
}

/** Joins what was counted of jobs and of runs, in all and by bucket. */
export function joinStats(jobs: BucketSummaries, runs: BucketSummaries): Stats {
  const froms = [...new Set([...jobs.buckets.keys(), ...runs.buckets.keys()])].sort((a, b) => a - b)
  const buckets = froms.map(
    (from): StatsBucket => ({
      from: new Date(from).toISOString(),
      ...(jobs.buckets.get(from)?.stats ?? emptyStats(jobStatuses)),
      runs: runs.buckets.get(from)?.stats ?? emptyStats(runStatuses),
    }),
  )
  return { ...jobs.all.stats, runs: runs.all.stats, buckets }
}

export interface BucketSummaries {
  all: Summary
  /** By the start of the bucket, epoch milliseconds. */
  buckets: Map<number, Summary>
}
