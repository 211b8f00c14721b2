import type { Pool } from './pool.js'

const PAGE = 100

export interface SealedColumn {
  table: string
  column: string
}

interface Row {
  id: string
  sealed: Buffer
}

/**
 * Seals a column anew, a page at a time, in the order of `id`. A row that somebody wrote meanwhile is under the present
 * key already, and stays. Whatever interrupts it, the next time goes through the rows again and finds less to do.
 */
export async function rewrapColumn(
  pool: Pool,
  { table, column }: SealedColumn,
  rewrap: (sealed: Buffer, id: string) => Buffer | undefined,
  afterPage: () => void = () => undefined,
): Promise<number> {
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
    afterPage()
    const last = rows.at(-1)
    if (last === undefined || rows.length < PAGE) return changed
    after = last.id
  }
}
