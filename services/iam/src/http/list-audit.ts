import { decodeCursor, encodeCursor, parseLimit, type RouteHandler } from '@millrace/http'
import type { IamContext } from '../context.js'
import { type AuditRow, listAudit as listRows } from '../db/audit.js'
import { pageOf } from './page.js'

const shown = ({ at, ...rest }: AuditRow) => ({ ...rest, at: at.toISOString() })

export function listAudit(ctx: IamContext): RouteHandler {
  return async ({ identity, query }) => {
    const limit = parseLimit(query.limit)
    const text = (name: string) => query[name] as string | undefined
    const cursor = text('cursor')
    const rows = await listRows(ctx.pool, identity.projectId, {
      actor: text('actor'),
      action: text('action'),
      target: text('target'),
      from: text('from'),
      to: text('to'),
      before: cursor === undefined ? undefined : decodeCursor(cursor, { at: 'time', id: 'uuid' }),
      limit: limit + 1,
    })
    const cursorAt = (row: AuditRow) => encodeCursor({ at: row.at.toISOString(), id: row.id })
    return { status: 200, body: pageOf(rows, limit, shown, cursorAt) }
  }
}
