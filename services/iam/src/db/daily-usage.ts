import type { Queryable } from '@millrace/postgres'

const today = `(clock_timestamp() at time zone 'utc')::date`

/**
 * Adds to today's use unless that would pass the limit; the row's lock makes two that count at once count each other.
 * A negative amount gives back, never below 0.
 */
export async function useToday(
  db: Queryable,
  use: { projectId: string; quota: string; amount: number; limit: number | null },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into daily_usage as d (project_id, quota, day, used)
     select $1, $2, ${today}, greatest(0, $3::bigint) where $4::bigint is null or $3::bigint <= $4
     on conflict (project_id, quota, day) do update set used = greatest(0, d.used + $3)
       where $3 <= 0 or $4::bigint is null or d.used + $3 <= $4`,
    [use.projectId, use.quota, use.amount, use.limit],
  )
  return rowCount === 1
}

export async function usedToday(db: Queryable, projectId: string, quota: string): Promise<number> {
  const { rows } = await db.query<{ used: string }>(
    `select used from daily_usage where project_id = $1 and quota = $2 and day = ${today}`,
    [projectId, quota],
  )
  return Number(rows[0]?.used ?? 0)
}

/** Yesterday's stays for a while: a clock that goes back must not find an empty count. */
export async function deleteOldUsage(db: Queryable): Promise<void> {
  await db.query(
    `delete from daily_usage where ctid = any (array(select ctid from daily_usage where day < ${today} - 7 limit 5000))`,
  )
}
