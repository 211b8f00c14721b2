/** A column of rows that travel as one array parameter each and are opened again by `unnest`. */
export interface Column<T> {
  /** Undefined: not sent, it only decides which clauses a statement has. */
  readonly type: string | undefined
  readonly holds?: T
}

const column = <T>(type?: string): Column<T> => ({ type })

export const uuid = column<string>('uuid')
export const text = column<string>('text')
export const int = column<number>('int')
export const smallint = column<number>('smallint')
export const bigint = column<number>('bigint')
export const double = column<number>('double precision')
export const boolean = column<boolean>('boolean')
export const timestamptz = column<string>('timestamptz')
export const unsentFlag = column<boolean>()

export const nullable = <T>({ type }: Column<T>): Column<T | null> => ({ type })

export type Columns = Readonly<Record<string, Column<string | number | boolean | null>>>

export type RowOf<C extends Columns> = { [K in keyof C]: C[K] extends Column<infer T> ? T : never }

/** A set of rows, and the alias under which a statement knows them. */
export interface RowSet<C extends Columns = Columns> {
  readonly alias: string
  readonly columns: C
}

export interface BoundRowSet<Row> {
  /** `unnest($3::uuid[], $4::text[]) as alias(a, b)` */
  readonly sql: string
  bind(rows: readonly Row[]): unknown[][]
}

/** Numbers the parameters of several row sets one after another, so that a statement's text is made once. */
export function createParameters(): {
  next(): string
  rows<C extends Columns>(set: RowSet<C>): BoundRowSet<RowOf<C>>
} {
  let count = 0
  const next = () => `$${++count}`
  return {
    next,
    rows<C extends Columns>({ alias, columns }: RowSet<C>): BoundRowSet<RowOf<C>> {
      const sent = Object.entries(columns).filter(([, { type }]) => type !== undefined)
      const arrays = sent.map(([, { type }]) => `${next()}::${type}[]`).join(', ')
      return {
        sql: `unnest(${arrays}) as ${alias}(${sent.map(([name]) => snakeCase(name)).join(', ')})`,
        bind: (rows) => sent.map(([name]) => rows.map((row) => row[name] ?? null)),
      }
    },
  }
}

export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (deadLetter) => `_${deadLetter.toLowerCase()}`)
