import type { Pool } from './pool.js'

const PAGE = 100

export interface SealedColumn {
  table: string
  column: string
}

/** Undefined where the value is under the present key already. */
export type Rewrap = (sealed: Buffer, id: string) => Buffer | undefined

interface Row {
  id: string
  sealed: Buffer
}

/**
 * Seals a column anew, a page at a time, in the order of `id`. A row that somebody wrote meanwhile is under the present
 * key already, and stays. Whatever interrupts it, the next time goes through the rows again and finds less to do.
 */
async function rewrapColumn(pool: Pool, { table, column }: SealedColumn, rewrap: Rewrap): Promise<number> {
  let after: string | null = null
  let changed = 0
  for (;;) {
    const { rows }: { rows: Row[] } = await pool.query<Row>(
      `select id, ${column} as sealed from ${table}
       where ${column} is not null and ($1::uuid is null or id > $1) order by id limit ${PAGE}`,
      [after],
    )
    for (const { id, sealed } of rows) {
      const next = rewrap(sealed, id)
      if (next === undefined) continue
      await pool.query(`update ${table} set ${column} = $3 where id = $1 and ${column} = $2`, [id, sealed, next])
      changed += 1
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return changed
    after = last.id
  }
}

/** How many values of each column were sealed anew. */
export async function rewrapColumns(
  pool: Pool,
  columns: readonly SealedColumn[],
  rewrap: Rewrap,
): Promise<Record<string, number>> {
  const changed: Record<string, number> = {}
  for (const sealed of columns) {
    changed[`${sealed.table}.${sealed.column}`] = await rewrapColumn(pool, sealed, rewrap)
  }
  return changed
}
