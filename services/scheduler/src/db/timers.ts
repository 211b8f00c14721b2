import type { Queryable } from '@millrace/postgres'
import type { TimerKind } from '../domain/effects.js'

export interface TimerRow {
  id: number
  run_id: string
  task_id: string | null
  kind: TimerKind
  /** Milliseconds from now; negative when overdue. */
  in_ms: number
}

/** Timers due by then, the earliest first. Their rows are deleted by the statement of the run that they move. */
export async function findTimers(client: Queryable, horizonMs: number, limit: number): Promise<TimerRow[]> {
  const result = await client.query<TimerRow>({
    name: 'find-timers',
    text: `
select id, run_id, task_id, kind, (extract(epoch from due_at - clock.now) * 1000)::float8 as in_ms
from timers, (select clock_timestamp() as now) clock
where due_at <= clock_timestamp() + make_interval(secs => $1 / 1000.0)
order by due_at limit $2`,
    values: [horizonMs, limit],
  })
  return result.rows
}

export async function findExistingTimers(client: Queryable, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  const result = await client.query<{ id: number }>({
    name: 'find-existing-timers',
    text: 'select id from timers where id = any($1::bigint[])',
    values: [ids],
  })
  return new Set(result.rows.map(({ id }) => id))
}

/** A timer whose run is not here, or has ended, moves nothing. */
export async function deleteTimer(client: Queryable, id: number): Promise<void> {
  await client.query({ name: 'delete-timer', text: 'delete from timers where id = $1', values: [id] })
}
