import type { Collection } from 'mongodb'
import { jobStatuses, runStatuses } from '../domain/statuses.js'
import { type BucketSummaries, joinStats, Summary, type TaskListed, TaskSummaries } from '../domain/summarise.js'
import type { Stats, StatsQuery, TaskStats, TaskStatsQuery } from '../port.js'
import type { StoredDocument } from './document-collection.js'
import { runConditions } from './list-documents.js'

/**
 * Counted here over a cursor of three fields: percentiles by `$percentile` would need MongoDB 7 and are not in FerretDB.
 * Jobs and runs are counted in the bucket of their creation.
 */
export async function readStats(
  jobs: Collection<StoredDocument>,
  runs: Collection<StoredDocument>,
  query: StatsQuery,
): Promise<Stats> {
  const [ofJobs, ofRuns] = await Promise.all([summarise(jobs, jobStatuses, query), summarise(runs, runStatuses, query)])
  return joinStats(ofJobs, ofRuns)
}

async function summarise(
  documents: Collection<StoredDocument>,
  statuses: readonly string[],
  { bucketMs, ...range }: StatsQuery,
): Promise<BucketSummaries> {
  const all = new Summary(statuses)
  const buckets = new Map<number, Summary>()
  const fields = { 'view.status': 1, 'view.createdAt': 1, 'view.durationMs': 1, 'view.queueWaitMs': 1 }
  const rows = documents.find(runConditions(range)).project<Pick<StoredDocument, 'view'>>(fields)
  for await (const { view } of rows) {
    if (view === undefined) continue
    const from = Math.floor(view.createdAt.getTime() / bucketMs) * bucketMs
    const bucket = buckets.get(from) ?? new Summary(statuses)
    buckets.set(from, bucket)
    bucket.add(view)
    all.add(view)
  }
  return { all, buckets }
}

/** Of as many failures by name, as they come. */
const byFailures = (stats: readonly TaskStats[]): TaskStats[] =>
  stats.filter(({ failures }) => failures > 0).sort((a, b) => b.failures - a.failures)

export async function readTaskStats(
  jobs: Collection<StoredDocument>,
  query: TaskStatsQuery,
  limit: number,
): Promise<TaskStats[]> {
  const names = ['workflow', 'task', 'status', 'retries', 'durationMs', 'queueWaitMs']
  const fields = Object.fromEntries(names.map((name) => [`view.${name}`, 1]))
  const summaries = new TaskSummaries()
  const rows = jobs.find(runConditions(query)).project<{ view?: TaskListed }>(fields)
  for await (const { view } of rows) if (view !== undefined) summaries.add(view)
  const { stats } = summaries
  const listed = query.order === 'failures' ? byFailures(stats) : stats
  return listed.slice(0, limit)
}
