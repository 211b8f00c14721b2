import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { round } from './stats.js'

/** What the ten largest tables take with and without their indexes, and hold, as PostgreSQL's statistics count it. */
export async function tableSizes(db: pg.Client): Promise<string> {
  const { rows } = await db.query<{ text: string }>(
    `select format('%s.%s: %s + %s MB, %s live, %s dead, vacuumed by itself %s', schemaname, relname,
       round(pg_table_size(relid) / 1048576.0), round(pg_indexes_size(relid) / 1048576.0), n_live_tup, n_dead_tup,
       case autovacuum_count when 0 then 'never'
         else format('%s times, last at %s', autovacuum_count, to_char(last_autovacuum, 'HH24:MI:SS')) end) as text
     from pg_stat_user_tables where pg_total_relation_size(relid) > 1048576
     order by pg_total_relation_size(relid) desc limit 10`,
  )
  return rows.map(({ text }) => text).join('; ')
}

/** Until retention has removed everything of what is past its time, or for so long. */
export async function awaitRetention(db: pg.Client, keptDays: number, atMostMs: number): Promise<string> {
  const began = Date.now()
  for (;;) {
    const { rows } = await db.query<{ runs: number; remains: number }>(
      `select (select count(*) from scheduler.runs
         where workflow like 'archive-%' and finished_at < now() - $1 * interval '1 day')::int as runs,
         (select count(*) from scheduler.run_deletions)::int as remains`,
      [keptDays],
    )
    const { runs = 0, remains = 0 } = rows[0] ?? {}
    const minutes = round((Date.now() - began) / 60_000, 1)
    if (runs + remains === 0) return `done after ${minutes} min`
    if (Date.now() - began > atMostMs) return `not done after ${minutes} min: ${runs} runs and tasks of ${remains} left`
    await sleep(1000)
  }
}
