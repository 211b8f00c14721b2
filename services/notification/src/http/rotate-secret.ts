import { unprocessable } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import { withTransaction } from '@millrace/postgres'
import type { AppContext } from '../context.js'
import { findSubscription, replaceSecret } from '../db/subscriptions.js'
import { newWebhookSecret } from '../domain/secret-box.js'
import { audit } from './audit.js'
import { absent, pathId } from './path-id.js'

/** With `graceSeconds` the old secret signs along for that long; without it, it is worthless at once. */
export function rotateSecret(ctx: AppContext): RouteHandler {
  return async (req) => {
    const id = pathId(req, 'subscription')
    const { graceSeconds = 0 } = (req.body ?? {}) as { graceSeconds?: number }
    const secret = newWebhookSecret()
    await withTransaction(ctx.pool, async (tx) => {
      const row = await findSubscription(tx, req.identity.projectId, id, true)
      if (row === undefined) throw absent('subscription')
      if (row.channelType !== 'webhook') throw unprocessable('no_secret', 'Only a webhook has a secret.')
      await replaceSecret(tx, id, ctx.box.seal(secret, id), graceSeconds)
      await audit(tx, req, 'subscription.secret_rotated', `subscription:${id}`)
    })
    return { status: 200, body: { id, secret } }
  }
}
