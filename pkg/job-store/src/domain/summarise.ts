import type { Percentiles, Stats, StatsBucket, StatusStats, TaskStats } from '../port.js'
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

/** One listed job, as far as statistics by task go. */
export interface TaskListed {
  workflow: string | null
  task: string | null
  status: string | null
  retries?: number
  durationMs: number | null
  queueWaitMs: number | null
}

/** Sums up jobs by workflow and task. */
export class TaskSummaries {
  private readonly byTask = new Map<string, { workflow: string; task: string; retries: number; summary: Summary }>()

  add(listed: TaskListed): void {
    const { workflow, task } = listed
    if (workflow === null || task === null) return
    const key = JSON.stringify([workflow, task])
    const known = this.byTask.get(key) ?? { workflow, task, retries: 0, summary: new Summary(jobStatuses) }
    known.retries += listed.retries ?? 0
    known.summary.add(listed)
    this.byTask.set(key, known)
  }

  get stats(): TaskStats[] {
    const rows = [...this.byTask.values()].map(({ workflow, task, retries, summary }) => {
      const { total, counts, durations, queueWait } = summary.stats
      return { workflow, task, total, failures: counts.failed ?? 0, retries, durations, queueWait }
    })
    const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
    return rows.sort((a, b) => order(a.workflow, b.workflow) || order(a.task, b.task))
  }
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
