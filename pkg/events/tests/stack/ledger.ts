import { type Pool, withTransaction } from '@millrace/postgres'
import type { EventOf } from '../../src/index.js'

type Update = EventOf<'workflow.updated'>

/**
 * State that consumers change as services do: an event and its effect in one transaction, a second arrival changes
 * nothing. Counts what arrived and what was applied.
 */
export class Ledger {
  deliveries = 0

  constructor(private readonly pool: Pool) {}

  async create(): Promise<void> {
    await this.pool.query(`
      create table public.applied (event_id text primary key);
      create table public.transitions (n bigserial primary key, key text not null, sequence int not null)`)
  }

  readonly apply = async (events: Update[]): Promise<void> => {
    this.deliveries += events.length
    await withTransaction(this.pool, async (tx) => {
      for (const { id, partitionkey, data } of events) {
        const sql = 'insert into public.applied values ($1) on conflict do nothing'
        if ((await tx.query(sql, [id])).rowCount === 0) continue
        await tx.query('insert into public.transitions (key, sequence) values ($1, $2)', [partitionkey, data.version])
      }
    })
  }

  /** The sequences of each key, in the order in which they were applied. */
  async transitions(): Promise<Record<string, number[]>> {
    const { rows } = await this.pool.query<{ key: string; sequences: number[] }>(
      'select key, array_agg(sequence order by n) as sequences from public.transitions group by key',
    )
    return Object.fromEntries(rows.map(({ key, sequences }) => [key, sequences]))
  }

  async size(): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>('select count(*)::int as count from public.transitions')
    return rows[0]?.count ?? 0
  }
}

/** 1 … count for each key: all there, once, in order. */
export const inOrder = (keys: readonly string[], count: number): Record<string, number[]> =>
  Object.fromEntries(keys.map((key) => [key, Array.from({ length: count }, (_, i) => i + 1)]))
