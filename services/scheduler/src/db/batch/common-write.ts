import type { Logger } from '@millrace/logger'
import { CompositeArray, type Pool, sqlState, withTransaction } from '@millrace/postgres'
import { counter } from '@millrace/telemetry'
import type { DequeueRequest } from '../../domain/queue.js'
import { type LeasedRow, leaseFragment } from '../lease-fragment.js'
import { type BatchRows, rowKinds, type Shape } from './clauses.js'
import {
  type CommonKind,
  commonDefinition,
  commonFunction,
  commonKinds,
  commonTypeName,
  fieldsOf,
  RUN_EXISTS,
} from './common-function.js'
import type { WriteResult } from './write-batch.js'

const functionsGivenUp = counter({
  name: 'millrace_scheduler_common_function_given_up_total',
  help: 'Times that the function for common batches could not be made or called for good, and the statement took over',
})

interface Row {
  won: boolean
  inbox: string[] | null
  tokens: Record<string, number> | null
  leases: LeasedRow[] | null
}

type TypeNumbers = Readonly<Record<CommonKind, number>>

const encoders = Object.fromEntries(commonKinds.map((kind) => [kind, new CompositeArray(fieldsOf(kind))])) as Record<
  CommonKind,
  CompositeArray
>

let count = 2 + commonKinds.length
const lease = leaseFragment(() => `$${++count}`)
const text = `select * from ${commonFunction}(${Array.from({ length: count }, (_, i) => `$${i + 1}`).join(', ')})`

const isCommon = new Set<string>(commonKinds)

/** Whether the function knows all that the batch needs. What else there may be is seldom, or locks more. */
export const commonShape = (shape: Shape): boolean =>
  rowKinds.every((kind) => !shape[kind] || isCommon.has(kind)) &&
  !shape.attemptFailures &&
  !shape.suspended &&
  !shape.releases &&
  (shape.newRuns || shape.runChanges)

/** Undefined: not all units won, or there is no function to be had; nothing was written. */
export async function writeCommon(
  pool: Pool,
  rows: BatchRows,
  dequeue: DequeueRequest,
  logger?: Logger,
): Promise<WriteResult | undefined> {
  const known = stateOf(pool)
  if (known.failures >= MAX_FAILURES) return undefined
  try {
    const numbers = await typeNumbers(pool, known)
    const values = bind(numbers, rows, dequeue)
    const [row] = (await pool.query<Row>({ name: commonFunction, text, values })).rows
    known.failures = 0
    return row && resultOf(rows, row)
  } catch (error) {
    if (isUnknown(error) || isForbidden(error)) failed(known, error, logger)
    else if (sqlState(error) !== RUN_EXISTS && !isNoValue(error)) throw error
    return undefined
  }
}

/** Nothing that the next batch would find otherwise: preparing it anew for each costs more than the function gains. */
function failed(known: PoolState, error: unknown, logger: Logger | undefined): void {
  known.prepared = undefined
  if (known.failures >= MAX_FAILURES) return
  known.failures = isForbidden(error) ? MAX_FAILURES : known.failures + 1
  if (known.failures < MAX_FAILURES) return
  functionsGivenUp.inc()
  logger?.warn({ err: error }, 'common batches are written by the statement: their function cannot be made or called')
}

function bind(numbers: TypeNumbers, rows: BatchRows, dequeue: DequeueRequest): unknown[] {
  const arrays = commonKinds.map((kind) =>
    rows[kind].length === 0
      ? null
      : encoders[kind].encode(numbers[kind], rows[kind] as readonly Readonly<Record<string, unknown>>[]),
  )
  const ended = rows.runChanges.some((row) => row.ended)
  return [...arrays, ended, dequeue.max > 0, ...lease.bind(dequeue)]
}

function resultOf(rows: BatchRows, { inbox, tokens, leases }: Row): WriteResult {
  const won = new Map<string, number>()
  for (const { id } of rows.newRuns) won.set(id, 1)
  for (const { runId, expectedRev } of rows.runChanges) won.set(runId, expectedRev + 1)
  const tokenOf = new Map(Object.entries(tokens ?? {}))
  for (const { id, leaseId } of rows.newTasks) if (leaseId !== null) tokenOf.set(id, 1)
  return { won, withInbox: inbox ?? [], tokens: tokenOf, leased: leases ?? [], closed: [], hasRoom: false, freed: [] }
}

/** By pool. */
interface PoolState {
  /** As its database numbers the types. */
  prepared: Promise<TypeNumbers> | undefined
  /** In a row: so many, and there is no function until the next start. */
  failures: number
}

/** A database that was replaced costs one, or one for each batch that was under way. */
const MAX_FAILURES = 20

const states = new WeakMap<Pool, PoolState>()

function stateOf(pool: Pool): PoolState {
  const known = states.get(pool) ?? { prepared: undefined, failures: 0 }
  states.set(pool, known)
  return known
}

function typeNumbers(pool: Pool, known: PoolState): Promise<TypeNumbers> {
  if (known.prepared) return known.prepared
  const found = prepare(pool)
  known.prepared = found
  found.catch(() => {
    if (known.prepared === found) known.prepared = undefined
  })
  return found
}

/** Types and function are derived from the clauses, so no migration has them: whoever needs them first makes them. */
function prepare(pool: Pool): Promise<TypeNumbers> {
  return withTransaction(pool, async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(hashtext('millrace.scheduler.write_common'))`)
    const { rows: there } = await tx.query(
      `select 1 from pg_proc where proname = $1 and pronamespace = current_schema()::regnamespace`,
      [commonFunction],
    )
    if (there.length === 0) await tx.query(commonDefinition)
    const { rows } = await tx.query<{ kind: CommonKind; number: number }>(
      'select kind, name::regtype::oid::int8 as number from unnest($1::text[], $2::text[]) as t (kind, name)',
      [commonKinds, commonKinds.map(commonTypeName)],
    )
    return Object.fromEntries(rows.map(({ kind, number }) => [kind, number])) as TypeNumbers
  })
}

/** The function or a type of it is not there, or has another number: the database was replaced. */
const isUnknown = (error: unknown): boolean => ['42883', '42704', '42804'].includes(sqlState(error) ?? '')

/** The role may not create in its schema, or not use what stands there: no batch will. */
const isForbidden = (error: unknown): boolean => sqlState(error) === '42501'

/** A value that has no binary form; the statement says what PostgreSQL thinks of its text. */
const isNoValue = (error: unknown): boolean => error instanceof TypeError || error instanceof RangeError
