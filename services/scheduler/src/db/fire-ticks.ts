import type { Queryable } from '@millrace/postgres'
import type { TickFailure } from './schedules.js'

export interface ClaimedTick {
  schedule_id: string
  tick: Date
  origin: 'clock' | 'late' | 'backfill'
  /** This one included. */
  tries: number
  project_id: string
  workflow: string
  input: string
}

/**
 * Whoever dies with ticks claimed loses them again after `claimMs`. Their inputs together are little more than `maxBytes`;
 * what is over stays due.
 */
export async function claimTicks(
  client: Queryable,
  { limit, maxBytes, claimMs }: { limit: number; maxBytes: number; claimMs: number },
): Promise<ClaimedTick[]> {
  const result = await client.query<ClaimedTick>({
    name: 'claim-ticks',
    text: `
with picked as (
  select t.schedule_id, t.tick, (t.origin <> 'clock') as later, t.due_at from schedule_ticks t
  where t.due_at <= clock_timestamp() order by later, t.due_at limit $1 for update skip locked
), sized as (
  select p.schedule_id, p.tick, s.project_id, s.workflow, s.input::text as input, coalesce(sum(octet_length(s.input::text))
    over (order by p.later, p.due_at, p.schedule_id, p.tick rows between unbounded preceding and 1 preceding), 0) as bytes_before
  from picked p join schedules s on s.id = p.schedule_id
)
update schedule_ticks t set due_at = clock_timestamp() + make_interval(secs => $2 / 1000.0), tries = t.tries + 1
from sized p where t.schedule_id = p.schedule_id and t.tick = p.tick and p.bytes_before < $3
returning t.schedule_id, t.tick, t.origin, t.tries, p.project_id, p.workflow, p.input`,
    values: [limit, claimMs, maxBytes],
  })
  return result.rows
}

/** What a schedule remembers of the ticks that were answered. */
export interface TickResult {
  scheduleId: string
  /** The newest tick of the clock that became a run. */
  started?: { tick: Date; runId: string }
  failure?: TickFailure
}

interface Answered {
  scheduleId: string
  tick: Date
}

/** The answer and the end of the tick are one: a crash before this repeats the call, which gives the same run. */
export async function settleTicks(
  client: Queryable,
  answered: readonly Answered[],
  results: readonly TickResult[],
): Promise<void> {
  await client.query({
    name: 'settle-ticks',
    text: `
with gone as (
  delete from schedule_ticks t using unnest($1::uuid[], $2::timestamptz[]) as a (schedule_id, tick)
  where t.schedule_id = a.schedule_id and t.tick = a.tick
)
update schedules s set
  last_tick_at = case when n.newer then n.tick else s.last_tick_at end,
  last_run_id = case when n.newer then n.run_id else s.last_run_id end,
  last_error = case when n.failure is not null then n.failure::json when n.newer then null else s.last_error end
from (
  select n.*, n.tick is not null and n.tick >= coalesce(o.last_tick_at, '-infinity') as newer
  from unnest($3::uuid[], $4::timestamptz[], $5::uuid[], $6::text[]) as n (id, tick, run_id, failure)
  join schedules o on o.id = n.id
) n where s.id = n.id`,
    values: [
      answered.map(({ scheduleId }) => scheduleId),
      answered.map(({ tick }) => tick),
      results.map(({ scheduleId }) => scheduleId),
      results.map(({ started }) => started?.tick ?? null),
      results.map(({ started }) => started?.runId ?? null),
      results.map(({ failure }) => (failure ? JSON.stringify(failure) : null)),
    ],
  })
}

/** Gives ticks back, each to be tried again after a while of its own. */
export async function postponeTicks(
  client: Queryable,
  ticks: readonly (Answered & { afterMs: number })[],
): Promise<void> {
  await client.query({
    name: 'postpone-ticks',
    text: `
update schedule_ticks t set due_at = clock_timestamp() + make_interval(secs => p.after_ms / 1000.0)
from unnest($1::uuid[], $2::timestamptz[], $3::float8[]) as p (schedule_id, tick, after_ms)
where t.schedule_id = p.schedule_id and t.tick = p.tick`,
    values: [
      ticks.map(({ scheduleId }) => scheduleId),
      ticks.map(({ tick }) => tick),
      ticks.map(({ afterMs }) => afterMs),
    ],
  })
}
