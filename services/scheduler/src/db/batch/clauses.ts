import type { Columns, RowOf } from '../columns.js'
import type { Flags } from './clause.js'
import { itemClauses } from './item-clauses.js'
import { mapClauses } from './map-clauses.js'
import { messageClauses } from './message-clauses.js'
import { queueClauses } from './queue-clauses.js'
import { runClauses } from './run-clauses.js'
import { taskClauses } from './task-clauses.js'

/**
 * Everything that one statement may do, in order. A new kind of row is one entry here, whoever adds such rows, and the
 * model of the simulation where it is more than a plain insert or delete.
 */
export const clauses = {
  ...runClauses,
  ...taskClauses,
  ...itemClauses,
  ...mapClauses,
  ...queueClauses,
  ...messageClauses,
}

type Clauses = typeof clauses
export type RowKind = {
  [K in keyof Clauses]: Clauses[K] extends { readonly columns: unknown } ? K : never
}[keyof Clauses]

/** The rows that one statement writes, by kind. Everything of a unit stands or falls together. */
export type BatchRows = {
  [K in RowKind]: Clauses[K] extends { readonly columns: infer C extends Columns } ? RowOf<C>[] : never
}

/** One row of a kind. */
export type BatchRow<K extends RowKind> = BatchRows[K][number]

export const rowKinds = (Object.keys(clauses) as (keyof Clauses)[]).filter(
  (name): name is RowKind => 'columns' in clauses[name],
)

export const emptyRows = (): BatchRows => Object.fromEntries(rowKinds.map((kind) => [kind, []])) as unknown as BatchRows

/** What decides the text of the statement: which kinds of rows there are, and some of what they say. */
export type Shape = Flags & Record<RowKind, boolean> & { readonly dequeue: boolean }

export function shapeOf(rows: BatchRows, dequeues: boolean): Shape {
  const present = Object.fromEntries(rowKinds.map((kind) => [kind, rows[kind].length > 0])) as Record<RowKind, boolean>
  return {
    ...present,
    attemptFailures: rows.taskChanges.some((row) => row.attemptFailed),
    failedItems: rows.newItems.some((row) => row.error !== null),
    ended: rows.runChanges.some((row) => row.ended),
    suspended: rows.runChanges.some((row) => row.dropRetries),
    unqueuedItems: rows.itemChanges.some((row) => row.expected === 'queued'),
    queuedItems: rows.itemChanges.some((row) => row.queued) || rows.newItems.some((row) => row.status === 'queued'),
    itemDeaths: [...rows.itemChanges, ...rows.newItems].some((row) => row.deadLetterId !== null),
    itemReports: rows.itemChanges.some((row) => row.claim !== null),
    mapPauses: rows.mapMarks.some((row) => row.paused === true),
    mapResumes: rows.mapMarks.some((row) => row.paused === false),
    releases: rows.taskChanges.some((row) => row.mayHoldSlots),
    dequeue: dequeues,
  }
}

export const shapeKey = (shape: Shape): string => Object.values(shape).map(Number).join('')

/** Where a plan of its own costs less than nested loops over what a general one takes for ten rows. */
const LARGE = 160

export const isLarge = (rows: BatchRows): boolean => rows.events.length + rows.itemChanges.length > LARGE
