import { appendEvents } from '@millrace/events'
import type { RouteHandler } from '@millrace/http'
import { withTransaction } from '@millrace/postgres'
import type { AppContext } from '../context.js'
import { cancelPending } from '../db/cancel-deliveries.js'
import { findSubscription, markSubscriptionDeleted } from '../db/subscriptions.js'
import { failedEvent } from '../events.js'
import { SOURCE } from '../source.js'
import { audit } from './audit.js'
import { absent, pathId } from './path-id.js'

export function deleteSubscription(ctx: AppContext): RouteHandler {
  return async (req) => {
    const id = pathId(req, 'subscription')
    await withTransaction(ctx.pool, async (tx) => {
      const row = await findSubscription(tx, req.identity.projectId, id, true)
      if (row === undefined) throw absent('subscription')
      await markSubscriptionDeleted(tx, id)
      const ended = await cancelPending(tx, id, ['event', 'test', 'digest'], 'subscription_deleted')
      await appendEvents(
        tx,
        SOURCE,
        ended.map((delivery) => failedEvent(delivery, 'subscription_deleted')),
      )
      await audit(tx, req, 'subscription.deleted', `subscription:${id}`)
    })
    ctx.bus.hint()
    return { status: 204 }
  }
}
