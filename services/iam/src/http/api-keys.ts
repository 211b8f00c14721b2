import { notFound, permissionDenied, unprocessable } from '@millrace/errors'
import { decodeCursor, encodeCursor, parseLimit, type RouteHandler, type RouteRequest } from '@millrace/http'
import type { Role } from '@millrace/identity'
import { validate as isUuid, v7 } from 'uuid'
import type { IamContext } from '../context.js'
import { type ApiKeyRow, findMaker, insertApiKey, listApiKeys as listRows, revokeApiKey } from '../db/api-keys.js'
import { findServiceAccount } from '../db/service-accounts.js'
import { hashOf, newApiKey, shownPrefix } from '../security/secret-text.js'
import { audit, mutate } from './audited.js'
import { assertNotAbove, assertStillValid, idParam, keyIdOf } from './caller.js'
import { pageOf } from './page.js'

const shown = ({ id, name, role, prefix, serviceAccountId, createdAt, expiresAt, lastUsedAt }: ApiKeyRow) => ({
  id,
  name,
  role,
  prefix,
  serviceAccountId,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt?.toISOString() ?? null,
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
})

function expiryOf(text: string | undefined): Date | null {
  if (text === undefined) return null
  const expiresAt = new Date(text)
  if (Number.isNaN(expiresAt.getTime()) || expiresAt.getTime() <= Date.now()) {
    throw unprocessable('invalid_expiry', 'expiresAt must be a time in the future.', [
      { path: '/expiresAt', code: 'not_in_future', message: 'must be in the future' },
    ])
  }
  return expiresAt
}

/** A key made with a key has the same person behind it, and falls with them. */
async function makerOf(ctx: IamContext, { identity }: RouteRequest): Promise<string> {
  const keyId = keyIdOf(identity)
  const maker = keyId === undefined ? identity.userId : await findMaker(ctx.pool, keyId)
  if (maker === undefined) throw permissionDenied('user_required', 'A key needs a user as its maker.')
  return maker
}

interface NewKeyBody {
  name: string
  role: Role
  expiresAt?: string
  serviceAccountId?: string
}

async function assertNotAboveAccount(
  ctx: IamContext,
  { identity }: RouteRequest,
  id: string,
  role: Role,
): Promise<void> {
  const account = isUuid(id) ? await findServiceAccount(ctx.pool, identity.projectId, id) : undefined
  if (!account) {
    throw unprocessable('service_account_not_found', 'There is no such service account.', [
      { path: '/serviceAccountId', code: 'not_found', message: 'is no service account of the project' },
    ])
  }
  if (account.role !== role) assertNotAbove(account.role, role)
}

export function createApiKey(ctx: IamContext): RouteHandler {
  return async (req) => {
    const { name, role, expiresAt, serviceAccountId = null } = req.body as NewKeyBody
    assertNotAbove(req.identity.role, role)
    if (serviceAccountId !== null) await assertNotAboveAccount(ctx, req, serviceAccountId, role)
    const key = newApiKey()
    const row = {
      id: v7(),
      projectId: req.identity.projectId,
      name,
      role,
      prefix: shownPrefix(key),
      hash: hashOf(key),
      createdBy: await makerOf(ctx, req),
      serviceAccountId,
      expiresAt: expiryOf(expiresAt),
    }
    return mutate(ctx, async (tx) => {
      await assertStillValid(tx, req.identity)
      const stored = await insertApiKey(tx, row)
      if (!stored) throw new Error('an inserted API key was not returned')
      await audit(tx, req, { action: 'api_key.created', target: `key:${row.id}` })
      const reply = { status: 201, body: { ...shown(stored), key }, once: ['key'] }
      await req.settle(tx, reply)
      return reply
    })
  }
}

export function listApiKeys(ctx: IamContext): RouteHandler {
  return async ({ identity, query }) => {
    const limit = parseLimit(query.limit)
    const cursor = query.cursor === undefined ? undefined : decodeCursor(query.cursor as string, { id: 'uuid' })
    const rows = await listRows(ctx.pool, identity.projectId, { beforeId: cursor?.id, limit: limit + 1 })
    return { status: 200, body: pageOf(rows, limit, shown, ({ id }) => encodeCursor({ id })) }
  }
}

export function deleteApiKey(ctx: IamContext): RouteHandler {
  return async (req) => {
    const id = idParam(req.params, 'id', 'api_key_not_found', 'API key')
    await mutate(ctx, async (tx) => {
      if (!(await revokeApiKey(tx, req.identity.projectId, id))) {
        throw notFound('api_key_not_found', 'There is no such API key.')
      }
      await audit(tx, req, { action: 'api_key.revoked', target: `key:${id}` })
    })
    ctx.credentials.forgetKey(id)
    return { status: 204 }
  }
}
