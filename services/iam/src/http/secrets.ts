import { notFound } from '@millrace/errors'
import { decodeCursor, encodeCursor, parseLimit, type RouteHandler, type RouteRequest } from '@millrace/http'
import type { IamContext } from '../context.js'
import {
  deleteSecret as deleteRow,
  listSecrets as listRows,
  putSecret as putRow,
  type SecretRow,
} from '../db/secrets.js'
import { assertSecretName, assertSecretValue, isSecretName } from '../domain/secret.js'
import type { SecretAddress } from '../security/secret-vault.js'
import { audit, mutate } from './audited.js'
import { pageOf } from './page.js'

const shown = ({ name, createdAt, updatedAt, updatedBy }: SecretRow) => ({
  name,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
  updatedBy,
})

const addressOf = ({ identity, params }: RouteRequest): SecretAddress => ({
  projectId: identity.projectId,
  name: params.name ?? '',
})

export function putSecret(ctx: IamContext): RouteHandler {
  return async (req) => {
    const address = addressOf(req)
    const { value } = req.body as { value: string }
    assertSecretName(address.name)
    assertSecretValue(value)
    return mutate(ctx, async (tx) => {
      const row = await putRow(tx, address, ctx.secrets.seal(address, value), req.identity.subject)
      if (!row) throw new Error('a secret that was put was not returned')
      await audit(tx, req, { action: 'secret.put', target: `secret:${address.name}` })
      return { status: 200, body: shown(row) }
    })
  }
}

export function deleteSecret(ctx: IamContext): RouteHandler {
  return async (req) => {
    const address = addressOf(req)
    const absent = () => notFound('secret_not_found', 'There is no such secret.')
    if (!isSecretName(address.name)) throw absent()
    await mutate(ctx, async (tx) => {
      if (!(await deleteRow(tx, address))) throw absent()
      await audit(tx, req, { action: 'secret.deleted', target: `secret:${address.name}` })
    })
    return { status: 204 }
  }
}

export function listSecrets(ctx: IamContext): RouteHandler {
  return async ({ identity, query }) => {
    const limit = parseLimit(query.limit)
    const cursor = query.cursor === undefined ? undefined : decodeCursor(query.cursor as string, { name: 'string' })
    const rows = await listRows(ctx.pool, identity.projectId, { afterName: cursor?.name, limit: limit + 1 })
    return { status: 200, body: pageOf(rows, limit, shown, ({ name }) => encodeCursor({ name })) }
  }
}
