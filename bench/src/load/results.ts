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

/** Of runs asked for since; those that retention has deleted meanwhile are not among them. */
export async function runTimes({ database }: Target, since: Date): Promise<{ runs: RunTime[]; failed: number }> {
  const { rows } = await database.query<{ second: number; ms: number; status: string }>(
    `select extract(epoch from created_at - min(created_at) over ())::float8 as second,
       extract(epoch from finished_at - created_at)::float8 * 1000 as ms, status
     from scheduler.runs where workflow like 'load-%' and created_at >= $1 and finished_at is not null`,
    [since],
  )
  return { runs: rows, failed: rows.filter(({ status }) => status !== 'succeeded').length }
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
