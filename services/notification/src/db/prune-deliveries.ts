import type { Queryable } from '@millrace/postgres'

const slice = 1000

/** Answers whether there may be more: old deliveries go in slices, attempts with them. */
export async function pruneDeliveries(db: Queryable, retentionMs: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `delete from deliveries where id in (
       select id from deliveries
       where status <> 'pending' and finished_at < clock_timestamp() - make_interval(secs => $1 / 1000.0)
       order by finished_at limit ${slice} for update skip locked)`,
    [retentionMs],
  )
  await db.query(`delete from digest_items where created_at < clock_timestamp() - make_interval(secs => $1 / 1000.0)`, [
    retentionMs,
  ])
  await db.query(`delete from recipient_mails where hour < clock_timestamp() - interval '1 day'`)
  return rowCount === slice
}
