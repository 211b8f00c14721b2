import type { Queryable, Tx } from '@millrace/postgres'

export interface ChainKeyRow {
  fromSeq: number
  sealed: Buffer
}

export async function listChainKeys(db: Queryable): Promise<ChainKeyRow[]> {
  const { rows } = await db.query<{ seq: string; sealed: Buffer }>(
    'select from_seq as seq, sealed from audit_chain_keys order by from_seq',
  )
  return rows.map(({ seq, sealed }) => ({ fromSeq: Number(seq), sealed }))
}

/** One that no entry was made with yet may be replaced. */
export async function putChainKey(tx: Tx, { fromSeq, sealed }: ChainKeyRow): Promise<void> {
  await tx.query(
    `insert into audit_chain_keys (from_seq, sealed) values ($1, $2)
     on conflict (from_seq) do update set sealed = excluded.sealed`,
    [fromSeq, sealed],
  )
}
