import { type Columns, snakeCase } from '../columns.js'
import type { PlainDelete, PlainInsert, PlainValue, RowClause } from './clause.js'

type Name<C> = keyof C & string

function expressionOf(alias: string, value: PlainValue): string {
  if (value === 'clock.now') return value
  if (typeof value === 'string') return `${alias}.${snakeCase(value)}`
  if ('json' in value) return `${alias}.${snakeCase(value.json)}::json`
  return `clock.now + make_interval(secs => ${alias}.${snakeCase(value.laterByMs)} / 1000.0)`
}

/** Rows of runs only name their run. */
const unitOf = (columns: Columns): string => ('unit' in columns ? 'unit' : 'run_id')

const needsClock = (value: PlainValue): boolean =>
  value === 'clock.now' || (typeof value === 'object' && 'laterByMs' in value)

function conflictOf({ conflict }: PlainInsert): string {
  if (!conflict) return ''
  const set = conflict.replace?.map((column) => `${column} = excluded.${column}`).join(', ')
  return `\n  on conflict (${conflict.on}) do ${set ? `update set ${set}` : 'nothing'}`
}

/** Inserts the rows of units that won, as CTE `insert_<name>`. */
export function insertRows<const C extends Columns>(
  name: string,
  alias: string,
  columns: C,
  plain: PlainInsert<Name<C>>,
): RowClause<C> {
  const values = Object.values(plain.values)
  const expressions = values.map((value) => expressionOf(alias, value)).join(', ')
  const clock = values.some(needsClock) ? ', clock' : ''
  const insert = (from: string) => `insert into ${plain.insert} (${Object.keys(plain.values).join(', ')})
  select ${expressions}
  from ${from}${clock}${conflictOf(plain)}`
  const sql = (source: string) => `insert_${name} as (
  ${insert(`${source} join applied a on a.id = ${alias}.${unitOf(columns)}`)}
)`
  return { alias, columns, sql, direct: insert, plain }
}

/** Deletes what the rows of units that won name, as CTE `delete_<name>`. */
export function deleteRows<const C extends Columns>(
  name: string,
  alias: string,
  columns: C,
  plain: PlainDelete<Name<C>>,
): RowClause<C> {
  const [column, equals] = plain.where
  const sql = (source: string) => `delete_${name} as (
  delete from ${plain.deleteFrom} x using ${source}, applied a
  where a.id = ${alias}.${unitOf(columns)} and x.${column} = ${alias}.${snakeCase(equals)}
)`
  return { alias, columns, sql, plain }
}
