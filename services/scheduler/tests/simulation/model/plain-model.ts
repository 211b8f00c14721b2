import type { PlainInsert, PlainValue, RowClause } from '../../../src/db/batch/clause.js'
import { type BatchRows, clauses, type RowKind, rowKinds } from '../../../src/db/batch/clauses.js'
import { micro, type Statement } from './statement.js'
import type { Rows, TableName } from './tables.js'

type Row = Readonly<Record<string, string | number | boolean | null>> & {
  readonly runId: string
  readonly unit?: string
}

/** The column by which the model keeps each table, and what a row has that the insert does not say. */
const tables: Partial<Record<TableName, { key: string; defaults?: (s: Statement) => object }>> = {
  dead_letters: { key: 'id', defaults: () => ({ state: 'open' }) },
  task_queue: { key: 'task_id' },
  timers: { key: 'id', defaults: (s) => ({ id: s.live.next('timers'), tries: 0 }) },
  task_limits: { key: 'task_id' },
  run_admissions: {
    key: 'run_id',
    defaults: (s) => ({ id: s.live.next('run_admissions'), state: 'waiting', leaving: false }),
  },
  run_signals: { key: 'id', defaults: (s) => ({ position: s.live.next('run_signals') }) },
  run_inbox: { key: 'id', defaults: (s) => ({ id: s.live.next('run_inbox'), created_at: s.now }) },
  child_runs: { key: 'task_id' },
}

/** The plain clauses of the statement, done to the model's tables as their data says. */
export function writePlain(
  s: Statement,
  rows: BatchRows,
  applied: ReadonlyMap<string, unknown>,
  what: 'inserts' | 'deletes',
): void {
  for (const kind of rowKinds) {
    const { plain } = clauses[kind] as RowClause
    if (!plain || 'insert' in plain !== (what === 'inserts')) continue
    for (const row of rowsOf(rows, kind)) {
      if (!applied.has(row.unit ?? row.runId)) continue
      if ('insert' in plain) insert(s, plain, row)
      else remove(s, plain.deleteFrom as TableName, row[plain.where[1]] as string)
    }
  }
}

const rowsOf = (rows: BatchRows, kind: RowKind): readonly Row[] => rows[kind] as unknown as readonly Row[]

function remove(s: Statement, table: TableName, key: string): void {
  if (s.reach(table, key)) s.live.remove(table, key)
}

function insert(s: Statement, { insert: table, values, conflict }: PlainInsert, row: Row): void {
  const name = table as TableName
  const { key, defaults } = tables[name] ?? { key: 'id' }
  const said = Object.fromEntries(Object.entries(values).map(([column, value]) => [column, sentValue(s, value, row)]))
  // A number is drawn from a sequence whether or not the row is inserted.
  const made = { ...defaults?.(s), ...said } as Record<string, unknown>
  const before = conflict && [...s.live.all(name)].find((other) => at(other, conflict.on) === made[conflict.on])
  if (!before) s.live.put(name, String(made[key]), made as unknown as Rows[TableName])
  else if (conflict?.replace) {
    const replaced = Object.fromEntries(conflict.replace.map((column) => [column, made[column]]))
    s.live.put(name, String(at(before, key)), { ...before, ...replaced })
  }
}

const at = (row: object, column: string): unknown => (row as Record<string, unknown>)[column]

function sentValue(s: Statement, value: PlainValue, row: Row): unknown {
  if (value === 'clock.now') return s.now
  if (typeof value === 'string') return row[value]
  return 'json' in value ? row[value.json] : micro(s.now + Number(row[value.laterByMs]))
}
