import { conflict, notFound } from '@millrace/errors'
import { decodeCursor, encodeCursor, parseLimit, type RouteHandler } from '@millrace/http'
import type { IamContext } from '../context.js'
import { revokeFamiliesOf } from '../db/refresh-tokens.js'
import { listUsers as listRows, lockAdmins, type UserRow, updateUser as updateRow } from '../db/users.js'
import { audit, mutate } from './audited.js'
import { idParam } from './caller.js'
import { pageOf } from './page.js'

const shown = ({ createdAt, ...rest }: UserRow) => ({ ...rest, createdAt: createdAt.toISOString() })

export function listUsers(ctx: IamContext): RouteHandler {
  return async ({ query }) => {
    const limit = parseLimit(query.limit)
    const cursor = query.cursor === undefined ? undefined : decodeCursor(query.cursor as string, { id: 'uuid' })
    const q = query.q as string | undefined
    const rows = await listRows(ctx.pool, { q, beforeId: cursor?.id, limit: limit + 1 })
    return { status: 200, body: pageOf(rows, limit, shown, ({ id }) => encodeCursor({ id })) }
  }
}

export function updateUser(ctx: IamContext): RouteHandler {
  return async (req) => {
    const id = idParam(req.params, 'id', 'user_not_found', 'user')
    const { disabled, admin } = req.body as { disabled?: boolean; admin?: boolean }
    const user = await mutate(ctx, async (tx) => {
      const admins = await lockAdmins(tx)
      const steppingDown = disabled === true || admin === false
      if (steppingDown && admins.length === 1 && admins[0] === id) {
        throw conflict('last_admin', 'The platform keeps at least one administrator.')
      }
      const row = await updateRow(tx, id, { disabled, admin })
      if (!row) throw notFound('user_not_found', 'There is no such user.')
      // Enabled again, the user logs in again: nothing issued before comes back to life.
      if (disabled === true) await revokeFamiliesOf(tx, id, null, 'disabled')
      await audit(tx, req, { action: actionOf(disabled, admin), target: `user:${id}` })
      return row
    })
    ctx.credentials.forgetUser(id)
    return { status: 200, body: shown(user) }
  }
}

function actionOf(disabled: boolean | undefined, admin: boolean | undefined): string {
  if (disabled !== undefined && admin === undefined) return disabled ? 'user.disabled' : 'user.enabled'
  if (admin !== undefined && disabled === undefined) return admin ? 'user.admin_granted' : 'user.admin_removed'
  return 'user.updated'
}
