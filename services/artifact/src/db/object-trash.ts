import type { Queryable } from '@millrace/postgres'

/** Before anything is written: if nothing links the object within the time, it is deleted. */
export async function announceObject(db: Queryable, key: string, withinMs: number): Promise<void> {
  await db.query(
    `insert into object_trash (object_key, delete_after) values ($1, clock_timestamp() + make_interval(secs => $2))`,
    [key, withinMs / 1_000],
  )
}

export async function trashObjects(db: Queryable, keys: readonly string[]): Promise<void> {
  await db.query(
    `insert into object_trash (object_key, delete_after) select key, clock_timestamp() from unnest($1::text[]) as k (key)
    on conflict (object_key) do update set delete_after = excluded.delete_after`,
    [keys],
  )
}

export async function restoreObject(tx: Queryable, key: string): Promise<void> {
  await tx.query('delete from object_trash where object_key = $1', [key])
}

export async function dueObjects(db: Queryable, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ key: string }>(
    `select object_key as key from object_trash where delete_after <= clock_timestamp() order by delete_after limit $1`,
    [limit],
  )
  return rows.map((row) => row.key)
}

export async function forgetObject(db: Queryable, key: string): Promise<void> {
  await db.query('delete from object_trash where object_key = $1', [key])
}
