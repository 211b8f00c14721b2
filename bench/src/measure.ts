import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

const POLL_MS = 100

/**
 * Waits until every run has ended, then checks that none failed. Times are read from the rows, not from this poll; it
 * asks for runs still going, by their own small index, so that asking costs the database next to nothing.
 */
export async function awaitRuns(
  database: pg.Client,
  workflow: string,
  count: number,
  timeoutMs = 120_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  let ended = 0
  while (Date.now() < deadline) {
    const live = await database.query('select 1 as bench_probe from scheduler.runs where finished_at is null limit 1')
    if (live.rowCount === 0) {
      ended = await endedRuns(database, workflow)
      if (ended >= count) return
    }
    await sleep(POLL_MS)
  }
  throw new Error(`${workflow}: ${ended} of ${count} runs ended in ${timeoutMs} ms`)
}

async function endedRuns(database: pg.Client, workflow: string): Promise<number> {
  const { rows } = await database.query<{ ended: number; bad: number }>(
    `select count(*) filter (where finished_at is not null)::int as ended,
      count(*) filter (where finished_at is not null and status <> 'succeeded')::int as bad
     from scheduler.runs where workflow = $1`,
    [workflow],
  )
  const { ended = 0, bad = 0 } = rows[0] ?? {}
  if (bad > 0) throw new Error(`${bad} runs of ${workflow} did not succeed`)
  return ended
}

/** Waits until every group of readers has handled what is in the log. */
export async function awaitCaughtUp(database: pg.Client, timeoutMs = 120_000): Promise<void> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const { rows } = await database.query<{ bench_probe: boolean }>(
      `select coalesce(bool_and(position >= (select max(id) from events.log)), true) as bench_probe from events.groups`,
    )
    if (rows[0]?.bench_probe) return
    if (Date.now() > deadline) throw new Error(`readers of events did not catch up in ${timeoutMs} ms`)
    await sleep(POLL_MS)
  }
}

/** Waits for one run. */
export async function awaitRun(database: pg.Client, runId: string, timeoutMs = 60_000): Promise<void> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const { rows } = await database.query<{ status: string; ended: boolean }>(
      'select status, finished_at is not null as ended from scheduler.runs where id = $1',
      [runId],
    )
    const [run] = rows
    if (run?.ended && run.status !== 'succeeded') throw new Error(`run ${runId}: ${run.status}`)
    if (run?.ended) return
    if (Date.now() > deadline) throw new Error(`run ${runId} did not end in ${timeoutMs} ms`)
    await sleep(10)
  }
}

export interface RunTimes {
  /** From the request to the end, ms. */
  totalMs: number
  /** From the request to the first start, ms. */
  triggerMs: number
  /** From each task's end to the start of the task that needs it, ms; only for chains. */
  gapsMs: number[]
}

export async function runTimes(database: pg.Client, runId: string): Promise<RunTimes> {
  const { rows } = await database.query<{ created: number; finished: number; started: number; ended: number }>(
    `select extract(epoch from r.created_at)::float8 * 1000 as created,
       extract(epoch from r.finished_at)::float8 * 1000 as finished,
       extract(epoch from t.started_at)::float8 * 1000 as started,
       extract(epoch from t.finished_at)::float8 * 1000 as ended
     from scheduler.runs r join scheduler.tasks t on t.run_id = r.id where r.id = $1 order by t.ordinal`,
    [runId],
  )
  const first = rows[0]
  if (!first) throw new Error(`no run ${runId}`)
  // A lease is granted in the transaction that ends the task before: what is measured is start to start.
  const gapsMs = rows.slice(1).map((row, i) => row.started - (rows[i]?.started ?? row.started))
  return { totalMs: first.finished - first.created, triggerMs: first.started - first.created, gapsMs }
}

/** When the last run of a workflow ended, on the database's clock, epoch ms. */
export async function lastEnd(database: pg.Client, workflow: string): Promise<number> {
  const { rows } = await database.query<{ at: number }>(
    `select extract(epoch from max(finished_at))::float8 * 1000 as at from scheduler.runs where workflow = $1`,
    [workflow],
  )
  return rows[0]?.at ?? Number.NaN
}

export interface Durability {
  /** Flushes of the write-ahead log by the scheduler's own connections. */
  coreFsyncs: number
  /** The same by everybody: services, metadata, notification, the log's readers. */
  allFsyncs: number
}

/** A backend reports what it counted only after ten idle seconds. */
const REPORT_MS = 11_000

export async function settledDurability(database: pg.Client): Promise<Durability> {
  await sleep(REPORT_MS)
  return durability(database)
}

async function durability(database: pg.Client): Promise<Durability> {
  const { rows } = await database.query<Durability>(
    `select
       (select coalesce(sum(io.fsyncs), 0)::int from pg_stat_activity a, pg_stat_get_backend_io(a.pid) io
         where a.application_name like 'millrace-scheduler%' and io.object = 'wal') as "coreFsyncs",
       (select coalesce(sum(fsyncs), 0)::int from pg_stat_io where object = 'wal') as "allFsyncs"`,
  )
  return rows[0] ?? { coreFsyncs: 0, allFsyncs: 0 }
}
