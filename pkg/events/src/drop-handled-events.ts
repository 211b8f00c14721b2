import type { Pool } from '@millrace/postgres'

const sliceRows = 5_000

export interface HandedOver {
  dropped: number
  /** Sent by the first relay: some group has not handled them, and those that have know them again by their id. */
  left: number
}

/**
 * Where a log becomes an outbox. A log keeps what its readers have handled, a relay sends whatever is there: what every
 * group has handled is removed first. Nobody may read or append meanwhile.
 */
export async function dropHandledEvents(pool: Pool): Promise<HandedOver> {
  let dropped = 0
  for (;;) {
    const { rowCount } = await pool.query(
      `delete from events.log where id in (
        select id from events.log where id <= (select min(position) from events.groups) order by id limit $1
      )`,
      [sliceRows],
    )
    dropped += rowCount ?? 0
    if ((rowCount ?? 0) < sliceRows) break
  }
  const { rows } = await pool.query<{ left: number }>('select count(*) as left from events.log')
  return { dropped, left: rows[0]?.left ?? 0 }
}
