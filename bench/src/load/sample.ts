import { setTimeout as sleep } from 'node:timers/promises'
import { ownMb, residentMbByKind } from '../cpu.js'
import type { Target } from '../target.js'
import type { RunTimes } from './results.js'

export interface Sample {
  second: number
  memoryMb: number
  memoryByKind: Record<string, number>
  /** Events that the slowest group of readers has before it. */
  lag: number
  /** Rows that PostgreSQL has still to clean away, and those that it keeps, as its statistics count them. */
  deadRows: number
  liveRows: number
  databaseMb: number
  /** Runs that have not ended. */
  open: number
  /** How long ago the oldest run ended that retention has not deleted. */
  oldestEndedSeconds: number
}

/** Every so often until it is told to stop; the questions are small. */
export function sampling(
  target: Target,
  everyMs: number,
  times: RunTimes,
): { samples: Sample[]; stop(): Promise<void> } {
  const samples: Sample[] = []
  const begin = performance.now()
  let isOn = true
  const loop = async () => {
    while (isOn) {
      const memoryByKind = residentMbByKind(target.roots)
      samples.push({
        second: (performance.now() - begin) / 1000,
        memoryMb: ownMb(memoryByKind),
        memoryByKind,
        ...(await counts(target)),
      })
      await times.read()
      await sleep(everyMs)
    }
  }
  const done = loop()
  return {
    samples,
    async stop() {
      isOn = false
      await done
    },
  }
}

async function counts({ database }: Target): Promise<Omit<Sample, 'second' | 'memoryMb' | 'memoryByKind'>> {
  const { rows } = await database.query<{
    lag: number
    dead: number
    live: number
    open: number
    oldest: number
    size: number
  }>(
    // On Kafka the log is the outbox: what was sent is gone from it.
    `select coalesce((select max(id) - (select min(position) from events.groups) from events.log),
         (select count(*) from events.log))::float8 as lag,
       (select coalesce(sum(n_dead_tup), 0)::float8 from pg_stat_user_tables) as dead,
       (select coalesce(sum(n_live_tup), 0)::float8 from pg_stat_user_tables) as live,
       (select count(*)::int from scheduler.runs where finished_at is null) as open,
       (select coalesce(extract(epoch from clock_timestamp() - min(finished_at)), 0)::float8 from scheduler.runs
        where project_id = any(select id from iam.projects) and workflow like 'load-%') as oldest,
       pg_database_size(current_database())::float8 / 1e6 as size`,
  )
  const [row] = rows
  if (!row) throw new Error('the database counted nothing')
  return {
    lag: Math.max(0, row.lag),
    deadRows: row.dead,
    liveRows: row.live,
    databaseMb: row.size,
    open: row.open,
    oldestEndedSeconds: row.oldest,
  }
}
