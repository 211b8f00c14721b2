import type { Queryable, Tx } from '@millrace/postgres'

export interface StreamRow {
  id: string
  projectId: string
}

/** Renewed every 5 s; one that is not was left by a process that died. */
const HOLD_SECONDS = 20

/** Answers false when the project has as many as it may. The lock makes two that open at once count each other. */
export async function openStream(tx: Tx, stream: StreamRow, limit: number | null): Promise<boolean> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended($1, 20))`, [`streams:${stream.projectId}`])
  const { rowCount } = await tx.query(
    `insert into open_streams (id, project_id, until)
     select $1, $2, clock_timestamp() + make_interval(secs => ${HOLD_SECONDS})
     where $3::bigint is null
       or (select count(*) from open_streams where project_id = $2 and until > clock_timestamp()) < $3
     on conflict (id) do update set until = excluded.until`,
    [stream.id, stream.projectId, limit],
  )
  return rowCount === 1
}

/** In id order, so that two who renew at once cannot deadlock. */
export async function keepStreams(db: Queryable, streams: readonly StreamRow[]): Promise<void> {
  if (streams.length === 0) return
  await db.query(
    `insert into open_streams (id, project_id, until)
     select id, project_id, clock_timestamp() + make_interval(secs => ${HOLD_SECONDS})
     from unnest($1::uuid[], $2::uuid[]) as s (id, project_id) order by id
     on conflict (id) do update set until = excluded.until`,
    [streams.map(({ id }) => id), streams.map(({ projectId }) => projectId)],
  )
}

export async function endStreams(db: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.query('delete from open_streams where id = any($1::uuid[])', [ids])
}

export async function countStreams(db: Queryable, projectId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from open_streams where project_id = $1 and until > clock_timestamp()',
    [projectId],
  )
  return rows[0]?.count ?? 0
}

export async function deleteLostStreams(db: Queryable): Promise<void> {
  await db.query(
    `delete from open_streams where ctid = any (array(
       select ctid from open_streams where until < clock_timestamp() limit 5000 for update skip locked))`,
  )
}
