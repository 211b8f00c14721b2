import type { Tx } from '@millrace/postgres'

/** Shared, and until the transaction ends: whoever revokes it waits for what is made with it, and then sees that too. */
export async function lockLiveSession(tx: Tx, id: string): Promise<boolean> {
  const { rowCount } = await tx.query('select 1 from refresh_families where id = $1 and revoked_at is null for share', [
    id,
  ])
  return rowCount === 1
}

export async function lockLiveKey(tx: Tx, id: string): Promise<boolean> {
  const { rowCount } = await tx.query('select 1 from api_keys where id = $1 and revoked_at is null for share', [id])
  return rowCount === 1
}
