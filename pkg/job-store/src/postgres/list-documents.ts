import type { Pool } from '@millrace/postgres'
import type { PageRequest } from '../port.js'
import { sanitiseText } from '../sanitise.js'
import { type DocumentKind, type StoredRow, storedColumns } from './document-table.js'

/** Conditions joined by `and`, each with its own numbered parameter. */
export class Conditions {
  readonly parts: string[] = []
  readonly values: unknown[] = []

  /** Each `?` stands for the next value; a value that is not given adds nothing. */
  add(text: string, ...values: unknown[]): this {
    if (values.includes(undefined)) return this
    const numbers = values.map((value) => this.values.push(typeof value === 'string' ? sanitiseText(value) : value))
    this.parts.push(text.replaceAll('?', () => `$${numbers.shift()}`))
    return this
  }

  get where(): string {
    return this.parts.join(' and ')
  }
}

interface CommonFilter {
  projectId: string
  workflow?: string
  statuses?: readonly string[]
  from?: Date
  to?: Date
  text?: string
}

export function commonConditions(filter: CommonFilter): Conditions {
  return new Conditions()
    .add('project_id = ?::uuid', filter.projectId)
    .add('workflow = ?', filter.workflow)
    .add('status = any(?::text[])', filter.statuses)
    .add('created_at >= ?::timestamptz', filter.from)
    .add('created_at < ?::timestamptz', filter.to)
    .add('search like ?', filter.text === undefined ? undefined : containing(filter.text.toLowerCase()))
}

/** As a pattern of `like`, which an index of trigrams serves. */
const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

export async function listFacts<F extends { id: string }>(
  pool: Pool,
  kind: DocumentKind<F>,
  conditions: Conditions,
  page: PageRequest,
): Promise<F[]> {
  conditions.add('(created_at, id) < (?::timestamptz, ?::uuid)', page.before?.createdAt, page.before?.id)
  const { rows } = await pool.query<StoredRow>(
    `select ${storedColumns(kind)} from ${kind.table} where ${conditions.where} and status is not null
     order by created_at desc, id desc limit ${Math.trunc(page.limit)}`,
    conditions.values,
  )
  return rows.map((row) => kind.unpack(row))
}

export async function getFacts<F extends { id: string }>(
  pool: Pool,
  kind: DocumentKind<F>,
  projectId: string,
  id: string,
): Promise<F | undefined> {
  const { rows } = await pool.query<StoredRow>(
    `select ${storedColumns(kind)} from ${kind.table} where id = $1 and project_id = $2`,
    [id, projectId],
  )
  return rows[0] === undefined ? undefined : kind.unpack(rows[0])
}
