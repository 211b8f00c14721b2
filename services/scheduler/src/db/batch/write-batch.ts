import type { Queryable } from '@millrace/postgres'
import type { DequeueRequest } from '../../domain/queue.js'
import type { LeasedRow } from '../lease-fragment.js'
import type { SlotKey } from '../limits/slots.js'
import { type BatchRows, shapeKey, shapeOf } from './clauses.js'
import { buildStatement, type Statement } from './statement.js'

export interface WriteResult {
  /** Units that won, with the rev of a run; one that is not here left no row. */
  readonly won: ReadonlyMap<string, number>
  /** Runs of maps whose last item ended by this. */
  readonly closed: readonly string[]
  /** Some map of which items ended has others left, and room for them. */
  readonly hasRoom: boolean
  /** Runs that won and have something in their inbox. */
  readonly withInbox: readonly string[]
  /** Token of each task that was written with a lease. */
  readonly tokens: ReadonlyMap<string, number>
  readonly leased: readonly LeasedRow[]
  /** Keys under which something came free. */
  readonly freed: readonly SlotKey[]
}

interface Row {
  kind: 'unit' | 'task' | 'lease' | 'slot' | 'group'
  id: string
  rev: number
  token: number | null
  /** Has something in its inbox; of a group: was closed. */
  flag: boolean
  detail: LeasedRow | SlotKey | null
}

/** Few shapes occur; each is prepared once a connection. */
const statements = new Map<string, Statement>()

export async function writeBatch(
  client: Queryable,
  rows: BatchRows,
  dequeue: DequeueRequest,
  shape = shapeOf(rows, dequeue.max > 0),
): Promise<WriteResult> {
  const key = shapeKey(shape)
  const statement = statements.get(key) ?? buildStatement(shape)
  statements.set(key, statement)
  const { name, text } = statement
  const result = await client.query<Row>({ name, text, values: statement.bind(rows, dequeue) })
  return readResult(result.rows)
}

function readResult(rows: readonly Row[]): WriteResult {
  const won = new Map<string, number>()
  const withInbox: string[] = []
  const closed: string[] = []
  let hasRoom = false
  const tokens = new Map<string, number>()
  const leased: LeasedRow[] = []
  const freed: SlotKey[] = []
  for (const row of rows) {
    if (row.kind === 'unit') {
      won.set(row.id, row.rev)
      if (row.flag) withInbox.push(row.id)
    } else if (row.kind === 'task') tokens.set(row.id, row.token ?? 0)
    else if (row.kind === 'slot') freed.push(row.detail as SlotKey)
    else if (row.kind === 'group') {
      if (row.flag) closed.push(row.id)
      else hasRoom = true
    } else if (row.detail) leased.push(row.detail as LeasedRow)
  }
  return { won, closed, hasRoom, withInbox, tokens, leased, freed }
}
