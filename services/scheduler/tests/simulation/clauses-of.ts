import type { FixedClause, RowClause } from '../../src/db/batch/clause.js'
import { type BatchRows, clauses, type RowKind, rowKinds, shapeOf } from '../../src/db/batch/clauses.js'

type Placed = { readonly runId?: string; readonly unit?: string; readonly id?: string }

/** Rows that say what becomes of their unit: its id is their own. */
const isUnit: ReadonlySet<RowKind> = new Set<RowKind>(['newRuns', 'itemChanges'])

/** The clauses that the statement holds of the units which won: a clause whose rows all lost does not count. Timers that mean nothing any more go with no unit. */
export function clausesOf(rows: BatchRows, won: ReadonlySet<string>, dequeues: boolean): string[] {
  const unitOf = (kind: RowKind, { unit, runId, id }: Placed) => unit ?? (isUnit.has(kind) ? id : runId)
  const isWon = (unit: string | undefined) => unit === undefined || won.has(unit)
  const winners = rowKinds.map((kind) => [
    kind,
    (rows[kind] as readonly Placed[]).filter((row) => isWon(unitOf(kind, row))),
  ])
  const shape = shapeOf(Object.fromEntries(winners) as BatchRows, dequeues)
  const isIn = ([name, clause]: [string, RowClause | FixedClause]) =>
    'when' in clause ? clause.when(shape) : shape[name as RowKind]
  return Object.entries<RowClause | FixedClause>(clauses)
    .filter(isIn)
    .map(([name]) => name)
}
