import type { Rows, TableName, Tables } from './tables.js'

/**
 * One statement under READ COMMITTED: it finds rows in the snapshot of its beginning, but changes and locks their latest
 * version, after a second look at the condition. What it inserts conflicts with rows that the snapshot does not show.
 */
export class Statement {
  constructor(
    /** The snapshot. The same object as `live` where nothing happened since. */
    readonly seen: Tables,
    readonly live: Tables,
    /** `clock_timestamp()`, read once. */
    readonly now: number,
    private readonly leaseIdOf: (taskId: string) => string,
    /** Rows of open transactions, which SKIP LOCKED leaves out. */
    readonly locked: (table: TableName, key: string) => boolean = () => false,
  ) {}

  /** The row that an update, a delete or a lock reaches. */
  reach<N extends TableName>(table: N, key: string | number): Rows[N] | undefined {
    return this.seen === this.live || this.seen.get(table, key) ? this.live.get(table, key) : undefined
  }

  /** All rows that an update, a delete or a lock with this condition reaches. */
  reachAll<N extends TableName>(
    table: N,
    condition: (row: Rows[N]) => boolean,
    keyOf: (row: Rows[N]) => string | number,
  ) {
    const rows: Rows[N][] = []
    for (const row of this.seen.all(table)) {
      if (!condition(row)) continue
      const latest = this.live.get(table, keyOf(row))
      if (latest && (latest === row || condition(latest))) rows.push(latest)
    }
    return rows
  }

  newLeaseId(taskId: string): string {
    return this.leaseIdOf(taskId)
  }
}

/** PostgreSQL keeps microseconds. */
export const micro = (ms: number): number => Math.round(ms * 1000) / 1000

export const byId = <T extends { id: string }>(a: T, b: T): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
