import type { Queryable } from '@millrace/postgres'
import type { Pick } from '../../domain/queue.js'
import type { LeasedRow } from '../lease-fragment.js'
import type { SlotKey } from '../limits/slots.js'
import { type BatchRows, shapeKey, shapeOf } from './clauses.js'
import { buildStatement, type Statement } from './statement.js'

export interface WriteResult {
  /** Rev of each run that won; a run that is not here left no row. */
  readonly runs: ReadonlyMap<string, number>
  /** Runs among them that have something in their inbox. */
  readonly withInbox: readonly string[]
  /** Token of each task written. */
  readonly tokens: ReadonlyMap<string, number>
  readonly leased: readonly LeasedRow[]
  /** Keys under which something came free. */
  readonly freed: readonly SlotKey[]
}

interface Row {
  kind: 'run' | 'task' | 'lease' | 'slot'
  id: string
  rev: number
  token: number | null
  inbox: boolean
  detail: LeasedRow | SlotKey | null
}

/** Few shapes occur; each is prepared once a connection. */
const statements = new Map<string, Statement>()

export async function writeBatch(client: Queryable, rows: BatchRows, pick: Pick): Promise<WriteResult> {
  const shape = shapeOf(rows, pick.max > 0)
  const key = shapeKey(shape)
  const statement = statements.get(key) ?? buildStatement(shape)
  statements.set(key, statement)
  const { name, text } = statement
  const result = await client.query<Row>({ name, text, values: statement.bind(rows, pick) })
  return readResult(result.rows)
}

function readResult(rows: readonly Row[]): WriteResult {
  const runs = new Map<string, number>()
  const withInbox: string[] = []
  const tokens = new Map<string, number>()
  const leased: LeasedRow[] = []
  const freed: SlotKey[] = []
  for (const row of rows) {
    if (row.kind === 'run') {
      runs.set(row.id, row.rev)
      if (row.inbox) withInbox.push(row.id)
    } else if (row.kind === 'task') tokens.set(row.id, row.token ?? 0)
    else if (row.kind === 'slot') freed.push(row.detail as SlotKey)
    else if (row.detail) leased.push(row.detail as LeasedRow)
  }
  return { runs, withInbox, tokens, leased, freed }
}
