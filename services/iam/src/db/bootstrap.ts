import type { Queryable } from '@millrace/postgres'

/** Held to the end of the transaction: of several replicas that start at once, one makes the administrator. */
export async function lockBootstrap(db: Queryable): Promise<{ done: boolean }> {
  await db.query(`select pg_advisory_xact_lock(hashtext('millrace.iam.bootstrap'))`)
  const { rows } = await db.query('select 1 from bootstrap')
  return { done: rows.length > 0 }
}

export async function markBootstrapped(db: Queryable, adminUserId: string): Promise<void> {
  await db.query('insert into bootstrap (admin_user_id) values ($1)', [adminUserId])
}
