/** A set of rows that travels as one array parameter a column and is opened again by `unnest`. */
export interface RowSet<Row> {
  readonly alias: string
  readonly columns: readonly (readonly [name: keyof Row & string, type: string])[]
}

export interface BoundRowSet<Row> {
  /** `unnest($3::uuid[], $4::text[]) as alias(a, b)` */
  readonly sql: string
  bind(rows: readonly Row[]): unknown[][]
}

/** Numbers the parameters of several row sets one after another, so that a statement's text is made once. */
export function createParameters(): { next(): string; rows<Row>(set: RowSet<Row>): BoundRowSet<Row> } {
  let count = 0
  const next = () => `$${++count}`
  return {
    next,
    rows<Row>(set: RowSet<Row>): BoundRowSet<Row> {
      const arrays = set.columns.map(([, type]) => `${next()}::${type}[]`).join(', ')
      const names = set.columns.map(([name]) => snake(name)).join(', ')
      return {
        sql: `unnest(${arrays}) as ${set.alias}(${names})`,
        bind: (rows) => set.columns.map(([name]) => rows.map((row) => row[name] ?? null)),
      }
    },
  }
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
