import { notFound } from '@millrace/errors'
import { decodeCursor, encodeCursor, parseLimit, type RouteHandler } from '@millrace/http'
import type { IamContext } from '../context.js'
import { listSessions as listRows, revokeSession, type SessionRow } from '../db/refresh-tokens.js'
import { audit, mutate } from './audited.js'
import { idParam, userIdOf } from './caller.js'
import { pageOf } from './page.js'

const shown = (current: string | undefined) => (row: SessionRow) => ({
  id: row.id,
  kind: row.kind,
  ip: row.ip,
  userAgent: row.userAgent,
  createdAt: row.createdAt.toISOString(),
  lastUsedAt: row.lastUsedAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  current: row.id === current,
})

export function listSessions(ctx: IamContext): RouteHandler {
  return async ({ identity, query }) => {
    const userId = userIdOf(identity)
    const limit = parseLimit(query.limit)
    const cursor = query.cursor === undefined ? undefined : decodeCursor(query.cursor as string, { id: 'uuid' })
    const rows = await listRows(ctx.pool, userId, { beforeId: cursor?.id, limit: limit + 1 })
    return { status: 200, body: pageOf(rows, limit, shown(identity.sessionId), ({ id }) => encodeCursor({ id })) }
  }
}

/** Ends one login, with its access tokens; the caller's own too if it is named. */
export function deleteSession(ctx: IamContext): RouteHandler {
  return async (req) => {
    const userId = userIdOf(req.identity)
    const id = idParam(req.params, 'id', 'session_not_found', 'session')
    await mutate(ctx, async (tx) => {
      if (!(await revokeSession(tx, userId, id))) throw notFound('session_not_found', 'There is no such session.')
      await audit(tx, req, { action: 'session.revoked', target: `session:${id}` })
    })
    ctx.credentials.forgetUser(userId)
    return { status: 204 }
  }
}
