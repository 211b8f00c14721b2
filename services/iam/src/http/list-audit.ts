import { permissionDenied } from '@millrace/errors'
import { decodeCursor, encodeCursor, parseLimit, type RouteHandler, type RouteRequest } from '@millrace/http'
import type { IamContext } from '../context.js'
import { type AuditRow, listAudit as listRows } from '../db/audit.js'
import { pageOf } from './page.js'

const shown = ({ at, ...rest }: AuditRow) => ({ ...rest, at: at.toISOString() })

/** An administrator may look at all projects at once. */
function projectOf({ identity, query }: RouteRequest): string | undefined {
  if (query.allProjects !== true) return identity.projectId
  if (!identity.admin)
    throw permissionDenied('admin_required', 'Only a platform administrator may search all projects.')
  return undefined
}

export function listAudit(ctx: IamContext): RouteHandler {
  return async (req) => {
    const { query } = req
    const limit = parseLimit(query.limit)
    const text = (name: string) => query[name] as string | undefined
    const cursor = text('cursor')
    const rows = await listRows(ctx.pool, projectOf(req), {
      actor: text('actor'),
      action: query.action as string[] | undefined,
      target: text('target'),
      outcome: query.outcome as string[] | undefined,
      from: text('from'),
      to: text('to'),
      before: cursor === undefined ? undefined : decodeCursor(cursor, { at: 'time', id: 'uuid' }),
      limit: limit + 1,
    })
    const cursorAt = (row: AuditRow) => encodeCursor({ at: row.at.toISOString(), id: row.id })
    return { status: 200, body: pageOf(rows, limit, shown, cursorAt) }
  }
}
