import type { Queryable } from '@millrace/postgres'
import type { Catchup } from '../domain/schedule.js'
import type { MissedTicks } from './alerts.js'
import type { TickFailure } from './schedules.js'

export interface DueSchedule {
  id: string
  cron: string
  timezone: string
  catchup: Catchup
  next_at: Date
  now: Date
}

/**
 * Locked until the transaction ends, and passed over by other replicas meanwhile: one of them plans a tick. A schedule
 * with a long tail of late ticks waits until that is shorter, so that catching up never fills the table.
 */
export async function lockDueSchedules(client: Queryable, limit: number, maxLate: number): Promise<DueSchedule[]> {
  const result = await client.query<DueSchedule>({
    name: 'lock-due-schedules',
    text: `
select s.id, s.cron, s.timezone, s.catchup, s.next_at, date_trunc('milliseconds', clock_timestamp()) as now
from schedules s
where not s.paused and s.next_at <= clock_timestamp()
  and (select count(*) from (select from schedule_ticks t where t.schedule_id = s.id and t.origin <> 'backfill' limit $2) l) < $2
order by s.next_at limit $1 for update of s skip locked`,
    values: [limit, maxLate],
  })
  return result.rows
}

export interface PlannedStep {
  scheduleId: string
  nextAt: Date | null
  ticks: readonly { at: Date; late: boolean }[]
  /** Passed over without a run. */
  missed?: MissedTicks
  /** Set when the schedule cannot go on. */
  failure?: TickFailure
}

/** Ticks and the step past them, in one statement. */
export async function writePlan(client: Queryable, steps: readonly PlannedStep[]): Promise<void> {
  const ticks = steps.flatMap(({ scheduleId, ticks }) => ticks.map((tick) => ({ scheduleId, ...tick })))
  await client.query({
    name: 'write-tick-plan',
    text: `
with stepped as (
  update schedules s set next_at = p.next_at, last_error = coalesce(p.failure::json, s.last_error)
  from unnest($1::uuid[], $2::timestamptz[], $3::text[]) as p (id, next_at, failure) where s.id = p.id
)
insert into schedule_ticks (schedule_id, tick, origin, due_at)
select p.schedule_id, p.tick, p.origin, clock_timestamp()
from unnest($4::uuid[], $5::timestamptz[], $6::text[]) as p (schedule_id, tick, origin)
on conflict (schedule_id, tick) do nothing`,
    values: [
      steps.map(({ scheduleId }) => scheduleId),
      steps.map(({ nextAt }) => nextAt),
      steps.map(({ failure }) => (failure ? JSON.stringify(failure) : null)),
      ticks.map(({ scheduleId }) => scheduleId),
      ticks.map(({ at }) => at),
      ticks.map(({ late }) => (late ? 'late' : 'clock')),
    ],
  })
}

/** Milliseconds until the next schedule or tick falls due; not above zero where one is due. */
export async function untilNextTick(client: Queryable): Promise<number | undefined> {
  const result = await client.query<{ in_ms: number | null }>({
    name: 'until-next-tick',
    text: `
select (extract(epoch from least(
  (select min(next_at) from schedules where not paused),
  (select min(due_at) from schedule_ticks)
) - clock_timestamp()) * 1000)::float8 as in_ms`,
  })
  return result.rows[0]?.in_ms ?? undefined
}

/** Ticks that somebody asked for. Those that wait already are left as they are. */
export async function insertBackfill(client: Queryable, scheduleId: string, ticks: readonly Date[]): Promise<void> {
  await client.query(
    `insert into schedule_ticks (schedule_id, tick, origin, due_at)
     select $1, tick, 'backfill', clock_timestamp() from unnest($2::timestamptz[]) as t (tick)
     on conflict (schedule_id, tick) do nothing`,
    [scheduleId, ticks],
  )
}

/** What came due but has no run yet. A backfill goes on. */
export async function dropClockTicks(client: Queryable, scheduleId: string): Promise<void> {
  await client.query(`delete from schedule_ticks where schedule_id = $1 and origin <> 'backfill'`, [scheduleId])
}
