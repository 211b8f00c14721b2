import type { Pool } from '@millrace/postgres'
import { jobStatuses, runStatuses } from '../domain/statuses.js'
import type {
  Percentiles,
  Stats,
  StatsBucket,
  StatsQuery,
  StatusStats,
  TaskOrder,
  TaskStats,
  TaskStatsQuery,
} from '../port.js'
import { Conditions } from './list-documents.js'

interface StatsRow {
  /** Null in the row that sums up all buckets. */
  bucket: Date | null
  total: number
  durations: number[] | null
  queue_waits: number[] | null
  [status: `n_${string}`]: number
}

/** Jobs and runs are counted in the bucket of their creation, where their document never moves away from. */
export async function readStats(pool: Pool, query: StatsQuery): Promise<Stats> {
  const [jobs, runs] = await Promise.all([
    rowsOf(pool, 'jobs', jobStatuses, query),
    rowsOf(pool, 'runs', runStatuses, query),
  ])
  const buckets = new Map<string, StatsBucket>()
  for (const row of [...jobs, ...runs]) {
    const from = row.bucket?.toISOString()
    if (from !== undefined) buckets.set(from, { from, ...empty(jobStatuses), runs: empty(runStatuses) })
  }
  const all: Stats = { ...empty(jobStatuses), runs: empty(runStatuses), buckets: [] }
  for (const row of jobs) Object.assign(target(all, buckets, row), toStats(row, jobStatuses))
  for (const row of runs) target(all, buckets, row).runs = toStats(row, runStatuses)
  all.buckets = [...buckets.values()].sort((a, b) => (a.from < b.from ? -1 : 1))
  return all
}

function target(all: Stats, buckets: Map<string, StatsBucket>, row: StatsRow): StatusStats & { runs: StatusStats } {
  return row.bucket === null ? all : (buckets.get(row.bucket.toISOString()) ?? all)
}

async function rowsOf(
  pool: Pool,
  table: 'jobs' | 'runs',
  statuses: readonly string[],
  query: StatsQuery,
): Promise<StatsRow[]> {
  const conditions = conditionsOf(query)
  const counts = statuses.map((status) => `count(*) filter (where status = '${status}') as n_${status}`)
  const { rows } = await pool.query<StatsRow>(
    `with chosen as (
       select date_bin($${conditions.values.length + 1}::interval, created_at, 'epoch') as bucket, status, duration_ms, queue_wait_ms
       from ${table} where ${conditions.where} and status is not null)
     select bucket, count(*) as total, ${counts.join(', ')}, ${percentiles('duration_ms')} as durations,
       ${percentiles('queue_wait_ms')} as queue_waits
     from chosen group by grouping sets ((), (bucket))`,
    [...conditions.values, `${query.bucketMs} milliseconds`],
  )
  return rows
}

const conditionsOf = (query: TaskStatsQuery): Conditions =>
  new Conditions()
    .add('project_id = ?::uuid', query.projectId)
    .add('created_at >= ?::timestamptz', query.from)
    .add('created_at < ?::timestamptz', query.to)
    .add('workflow = ?', query.workflow)

const percentiles = (column: string): string =>
  `percentile_disc(array[0.5, 0.95, 0.99]) within group (order by ${column}) filter (where ${column} is not null)`

type TaskStatsRow = Omit<TaskStats, 'durations' | 'queueWait'> & Pick<StatsRow, 'durations' | 'queue_waits'>

const orders: Readonly<Record<TaskOrder, string>> = {
  name: 'order by ',
  failures: `having count(*) filter (where status = 'failed') > 0 order by failures desc, `,
}

export async function readTaskStats(pool: Pool, query: TaskStatsQuery, limit: number): Promise<TaskStats[]> {
  const conditions = conditionsOf(query)
  const { rows } = await pool.query<TaskStatsRow>(
    `select workflow, task, count(*) as total, count(*) filter (where status = 'failed') as failures,
       sum(retries)::bigint as retries, ${percentiles('duration_ms')} as durations,
       ${percentiles('queue_wait_ms')} as queue_waits
     from jobs where ${conditions.where} and status is not null
     group by workflow, task ${orders[query.order ?? 'name']}workflow collate "C", task collate "C" limit ${Math.trunc(limit)}`,
    conditions.values,
  )
  return rows.map(({ durations, queue_waits, ...row }) => ({
    ...row,
    durations: toPercentiles(durations),
    queueWait: toPercentiles(queue_waits),
  }))
}

function toStats(row: StatsRow, statuses: readonly string[]): StatusStats {
  return {
    total: row.total,
    counts: Object.fromEntries(statuses.map((status) => [status, row[`n_${status}`] ?? 0])),
    durations: toPercentiles(row.durations),
    queueWait: toPercentiles(row.queue_waits),
  }
}

function toPercentiles(values: number[] | null): Percentiles {
  const [p50 = null, p95 = null, p99 = null] = values ?? []
  return { p50, p95, p99 }
}

function empty(statuses: readonly string[]): StatusStats {
  const none = { p50: null, p95: null, p99: null }
  return {
    total: 0,
    counts: Object.fromEntries(statuses.map((status) => [status, 0])),
    durations: none,
    queueWait: none,
  }
}
