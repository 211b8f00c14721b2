import type { Pool } from '@millrace/postgres'

export interface RetentionOptions {
  days: number
  /** A group whose readers were not seen for so long no longer holds anything back. */
  abandonedAfterDays?: number
  sliceRows?: number
}

/**
 * Deletes what is older than the retention and was passed by all groups, in slices, so that no statement runs long.
 * Answers the number of deleted events. Without any group nothing is deleted: readers may be yet to come.
 */
export async function pruneEvents(pool: Pool, options: RetentionOptions): Promise<number> {
  const sliceRows = options.sliceRows ?? 5_000
  let deleted = 0
  for (;;) {
    const { rowCount } = await pool.query(
      `delete from events.log where id in (
        select id from events.log
        where id <= (
          select min(position) from events.groups where seen_at > now() - make_interval(days => $2)
        )
        and time < now() - make_interval(days => $1)
        order by id limit $3
      )`,
      [options.days, options.abandonedAfterDays ?? Math.max(30, options.days), sliceRows],
    )
    deleted += rowCount ?? 0
    if ((rowCount ?? 0) < sliceRows) return deleted
  }
}
