import type { Columns, RowSet } from '../columns.js'

/** What decides, beside the rows themselves, how the clauses of a statement read. */
export interface Flags {
  readonly newRuns: boolean
  readonly newTasks: boolean
  readonly runChanges: boolean
  readonly guards: boolean
  readonly firedTimers: boolean
  readonly taskChanges: boolean
  readonly itemRetries: boolean
  readonly itemChanges: boolean
  /** Items that are queued end. */
  readonly unqueuedItems: boolean
  readonly queuedItems: boolean
  readonly itemDeaths: boolean
  readonly slices: boolean
  readonly newItems: boolean
  /** Items of slices fail as they begin: their expressions are wrong. */
  readonly failedItems: boolean
  /** What workers reported of items is published. */
  readonly itemReports: boolean
  /** Attempts fail. */
  readonly attemptFailures: boolean
  /** Runs end. */
  readonly ended: boolean
  /** Runs are paused, and their retries wait. */
  readonly suspended: boolean
  readonly mapPauses: boolean
  readonly mapResumes: boolean
  /** Attempts end that may hold permits of limits. */
  readonly releases: boolean
  /** Runs leave the admission queue of their workflow, or give back their permit. */
  readonly droppedAdmissions: boolean
}

/** A kind of row that a batch writes: its columns, and the CTEs that write it. */
export interface RowClause<C extends Columns = Columns> extends RowSet<C> {
  /** `rows` opens them. Everything that is written joins `applied`, so that a unit that lost leaves no row. */
  readonly sql: (rows: string, flags: Flags) => string
  /**
   * The same as a statement of its own, for batches of which every unit has won: see `common-function.ts`. It may read a
   * row `clock` with the time.
   */
  readonly direct?: (rows: string) => string
  /** The same as data, where it is nothing but an insert or a delete. */
  readonly plain?: PlainInsert | PlainDelete
}

/** CTEs without rows of their own. */
export interface FixedClause {
  readonly when: (flags: Flags) => boolean
  readonly sql: (flags: Flags) => string
}

export const rows = <const C extends Columns>(
  alias: string,
  columns: C,
  sql: RowClause<C>['sql'],
  direct?: RowClause<C>['direct'],
): RowClause<C> => ({ alias, columns, sql, ...(direct ? { direct } : {}) })

export const fixed = (when: FixedClause['when'], sql: FixedClause['sql']): FixedClause => ({ when, sql })

export const always = (): boolean => true

/** A value of a plain insert: a column of the row, that column as JSON, the time of the statement, or that much later. */
export type PlainValue<Name extends string = string> =
  | Name
  | { readonly json: Name }
  | { readonly laterByMs: Name }
  | 'clock.now'

export interface PlainInsert<Name extends string = string> {
  readonly insert: string
  /** By column of the table. */
  readonly values: Readonly<Record<string, PlainValue<Name>>>
  /** On conflict of this column: leave what is there, or replace its values. Absent: there is never one. */
  readonly conflict?: { readonly on: string; readonly replace?: readonly string[] }
}

export interface PlainDelete<Name extends string = string> {
  readonly deleteFrom: string
  /** The column of the table, and the column of the row that names it. */
  readonly where: readonly [column: string, equals: Name]
}
