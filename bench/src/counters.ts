import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSeconds, residentMb, totalSeconds } from './cpu.js'
import { awaitCaughtUp, awaitRuns } from './measure.js'
import { resetStatements, statementSums } from './statements.js'
import { round } from './stats.js'
import type { Target } from './target.js'

type Figures = Record<string, number>

const RUNS = 5_000

/**
 * What a one-task run costs PostgreSQL, counted and not timed: holds on a busy machine too, where times do not. It ends
 * when every reader of events has caught up, so what is done for a run after its end counts as well.
 */
export async function counters(target: Target, turn: number): Promise<Figures> {
  const { api, database } = target
  const name = `counters-${turn}`
  await api.define(name, { only: { uses: 'noop' } })
  await awaitCaughtUp(database)
  await resetStatements(database)
  const lsn = await walPosition(target)
  await api.startBatch(name, RUNS)
  await awaitRuns(database, name, RUNS)
  await awaitCaughtUp(database)
  const sums = await statementSums(database)
  const wal = (await walPosition(target)) - lsn
  return {
    'statement time of a one-task run, µs': round((sums.totalMs * 1000) / RUNS, 0),
    'planning of it, µs': round((sums.planMs * 1000) / RUNS, 0),
    'statements of a one-task run': round(sums.calls / RUNS, 2),
    'WAL of a one-task run, KB': round(wal / RUNS / 1000, 2),
    'events rows read by a one-task run': round(sums.eventRows / RUNS, 1),
    'events rows written by a one-task run': round(await eventsOf(target, name), 1),
  }
}

async function walPosition({ database }: Target): Promise<number> {
  const sql = `select (pg_current_wal_insert_lsn() - '0/0')::float8 as bench_probe`
  return (await database.query<{ bench_probe: number }>(sql)).rows[0]?.bench_probe ?? Number.NaN
}

async function eventsOf({ database }: Target, workflow: string): Promise<number> {
  const { rows } = await database.query<{ written: number }>(
    `select count(*)::float8 / ${RUNS} as written from events.log l
     where l.key in (select id::text from scheduler.runs where workflow = $1)`,
    [workflow],
  )
  return rows[0]?.written ?? Number.NaN
}

const SETTLE_MS = 12_000
const WINDOW_MS = 15_000

/** Nobody asks for anything: what polls, and what it holds. */
export async function idle(target: Target): Promise<Figures> {
  await awaitCaughtUp(target.database)
  await sleep(SETTLE_MS)
  await resetStatements(target.database)
  const before = totalSeconds(cpuSeconds(target.roots))
  const began = performance.now()
  await sleep(WINDOW_MS)
  const seconds = (performance.now() - began) / 1000
  const used = totalSeconds(cpuSeconds(target.roots)) - before
  const { calls } = await statementSums(target.database)
  return {
    'idle, statements/s': round(calls / seconds),
    'idle, CPU, % of a core': round((used / seconds) * 100),
    'idle, RSS of all Node processes, MB': round(residentMb(target.roots), 0),
  }
}
