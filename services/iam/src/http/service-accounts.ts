import { conflict, notFound } from '@millrace/errors'
import { decodeCursor, encodeCursor, parseLimit, type RouteHandler } from '@millrace/http'
import type { Role } from '@millrace/identity'
import { v7 } from 'uuid'
import type { IamContext } from '../context.js'
import * as accounts from '../db/service-accounts.js'
import { audit, mutate } from './audited.js'
import { assertNotAbove, assertStillValid, idParam } from './caller.js'
import { pageOf } from './page.js'

const noSuchAccount = () => notFound('service_account_not_found', 'There is no such service account.')

const shown = ({ createdAt, lastUsedAt, ...rest }: accounts.ServiceAccountRow) => ({
  ...rest,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
})

export function createServiceAccount(ctx: IamContext): RouteHandler {
  return async (req) => {
    const { name, role } = req.body as { name: string; role: Role }
    const { projectId, subject: createdBy } = req.identity
    assertNotAbove(req.identity.role, role)
    return mutate(ctx, async (tx) => {
      await assertStillValid(tx, req.identity)
      const row = await accounts.insertServiceAccount(tx, { id: v7(), projectId, name, role, createdBy })
      if (!row) throw conflict('service_account_exists', 'A service account with this name exists.')
      await audit(tx, req, { action: 'service_account.created', target: `service-account:${row.id}` })
      const reply = { status: 201, body: shown(row) }
      await req.settle(tx, reply)
      return reply
    })
  }
}

export function listServiceAccounts(ctx: IamContext): RouteHandler {
  return async ({ identity, query }) => {
    const limit = parseLimit(query.limit)
    const cursor = query.cursor === undefined ? undefined : decodeCursor(query.cursor as string, { id: 'uuid' })
    const page = { beforeId: cursor?.id, limit: limit + 1 }
    const rows = await accounts.listServiceAccounts(ctx.pool, identity.projectId, page)
    return { status: 200, body: pageOf(rows, limit, shown, ({ id }) => encodeCursor({ id })) }
  }
}

export function getServiceAccount(ctx: IamContext): RouteHandler {
  return async ({ identity, params }) => {
    const id = idParam(params, 'id', 'service_account_not_found', 'service account')
    const row = await accounts.findServiceAccount(ctx.pool, identity.projectId, id)
    if (!row) throw noSuchAccount()
    return { status: 200, body: shown(row) }
  }
}

export function deleteServiceAccount(ctx: IamContext): RouteHandler {
  return async (req) => {
    const id = idParam(req.params, 'id', 'service_account_not_found', 'service account')
    const keys = await mutate(ctx, async (tx) => {
      const revoked = await accounts.deleteServiceAccount(tx, req.identity.projectId, id)
      if (!revoked) throw noSuchAccount()
      await audit(tx, req, { action: 'service_account.deleted', target: `service-account:${id}` })
      return revoked
    })
    for (const keyId of keys) ctx.credentials.forgetKey(keyId)
    return { status: 204 }
  }
}
