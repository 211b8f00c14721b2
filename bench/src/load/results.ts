import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../stats.js'
import type { Target } from '../target.js'
import type { Sent } from './generate.js'
import type { Sample } from './sample.js'

export interface RunTime {
  /** When it was asked for, seconds since the first. */
  second: number
  /** From the request to the end. */
  ms: number
}

export interface Outcome {
  name: string
  seconds: number
  sent: Sent
  runs: RunTime[]
  stuck: number
  failed: number
  samples: Sample[]
}

/** Every run to its end, or for as long as a run may take. */
export async function awaitQuiet({ database }: Target, timeoutMs: number): Promise<number> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const { rows } = await database.query<{ open: number }>(
      `select (select count(*) from scheduler.runs where finished_at is null)::int
         + (select count(*) from workflow.run_requests where taken_at is null)::int as open`,
    )
    const open = rows[0]?.open ?? 0
    if (open === 0 || Date.now() > deadline) return open
    await sleep(250)
  }
}

/** A row may be committed so much later than the time it bears. */
const COMMIT_MS = 3000

export interface RunTimes {
  readonly runs: RunTime[]
  readonly failed: number
  /** Takes those that have ended since the last time, before retention deletes them. */
  read(isLast?: boolean): Promise<void>
}

/** Of the runs asked for from now on. */
export async function followRuns({ database }: Target): Promise<RunTimes> {
  const now = async () => (await database.query<{ now: Date }>('select clock_timestamp() as now')).rows[0]?.now
  const since = (await now()) ?? new Date()
  let after = since
  const found = { runs: [] as RunTime[], failed: 0 }
  return {
    get runs() {
      return found.runs
    },
    get failed() {
      return found.failed
    },
    async read(isLast = false) {
      const until = new Date(((await now()) ?? after).getTime() - (isLast ? 0 : COMMIT_MS))
      const { rows } = await database.query<RunTime & { status: string }>(
        `select extract(epoch from created_at - $1)::float8 as second,
           extract(epoch from finished_at - created_at)::float8 * 1000 as ms, status
         from scheduler.runs where project_id = any(select id from iam.projects) and workflow like 'load-%'
           and created_at >= $1 and finished_at > $2 and finished_at <= $3`,
        [since, after, until],
      )
      after = until
      for (const { second, ms, status } of rows) {
        found.runs.push({ second, ms })
        if (status !== 'succeeded') found.failed += 1
      }
    },
  }
}

export const p = (values: readonly number[], q: number): number => quantile(values, q)

/** Least squares, of memory over time; MB a second. */
export function slope(samples: readonly Sample[]): number {
  const n = samples.length
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / n
  const at = mean(samples.map(({ second }) => second))
  const mb = mean(samples.map(({ memoryMb }) => memoryMb))
  const over = samples.reduce((sum, { second, memoryMb }) => sum + (second - at) * (memoryMb - mb), 0)
  const under = samples.reduce((sum, { second }) => sum + (second - at) ** 2, 0)
  return under === 0 ? 0 : over / under
}
