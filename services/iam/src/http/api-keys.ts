import { notFound, permissionDenied, unprocessable } from '@millrace/errors'
import { decodeCursor, encodeCursor, parseLimit, type RouteHandler, type RouteRequest } from '@millrace/http'
import { type Role, roleAllows } from '@millrace/identity'
import { v7 } from 'uuid'
import type { IamContext } from '../context.js'
import { type ApiKeyRow, findMaker, insertApiKey, listApiKeys as listRows, revokeApiKey } from '../db/api-keys.js'
import { hashOf, newApiKey, shownPrefix } from '../security/secret-text.js'
import { audit, mutate } from './audited.js'
import { idParam, keyIdOf } from './caller.js'
import { pageOf } from './page.js'

const shown = ({ id, name, role, prefix, createdAt, expiresAt }: ApiKeyRow) => ({
  id,
  name,
  role,
  prefix,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt?.toISOString() ?? null,
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

function assertNotAbove(own: Role, wanted: Role): void {
  if (wanted === 'worker' || roleAllows(own, wanted)) return
  throw unprocessable('role_too_high', 'A key cannot have a role above that of its maker.', [
    { path: '/role', code: 'too_high', message: `must not be above ${own}` },
  ])
}

/** A key made with a key has the same person behind it, and falls with them. */
async function makerOf(ctx: IamContext, { identity }: RouteRequest): Promise<string> {
  const keyId = keyIdOf(identity)
  const maker = keyId === undefined ? identity.userId : await findMaker(ctx.pool, keyId)
  if (maker === undefined) throw permissionDenied('user_required', 'A key needs a user as its maker.')
  return maker
}

export function createApiKey(ctx: IamContext): RouteHandler {
  return async (req) => {
    const { name, role, expiresAt } = req.body as { name: string; role: Role; expiresAt?: string }
    assertNotAbove(req.identity.role, role)
    const key = newApiKey()
    const row = {
      id: v7(),
      projectId: req.identity.projectId,
      name,
      role,
      prefix: shownPrefix(key),
      hash: hashOf(key),
      createdBy: await makerOf(ctx, req),
      expiresAt: expiryOf(expiresAt),
    }
    return mutate(ctx, async (tx) => {
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
