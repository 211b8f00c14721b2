import { conflict } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import { withTransaction } from '@millrace/postgres'
import type { AppContext } from '../context.js'
import { findDelivery, requeueDelivery } from '../db/deliveries.js'
import { findSubscription } from '../db/subscriptions.js'
import { endedReason } from '../domain/delivery.js'
import { audit } from './audit.js'
import { absent, pathId } from './path-id.js'
import { deliveryView } from './views.js'

/** The same notification once more, under the same id and with a whole schedule of tries ahead. */
export function redeliverNotification(ctx: AppContext): RouteHandler {
  return async (req) => {
    const id = pathId(req, 'notification')
    const { projectId } = req.identity
    const row = await withTransaction(ctx.pool, async (tx) => {
      const delivery = await findDelivery(tx, projectId, id)
      if (delivery === undefined) throw absent('notification')
      const subscription = await findSubscription(tx, projectId, delivery.subscriptionId, true)
      const state = { enabled: subscription?.enabled ?? false, deleted: subscription === undefined }
      const ended = endedReason(delivery.kind, state)
      if (ended !== undefined) throw conflict(ended, 'The subscription is no longer there, or disabled.')
      const requeued = await requeueDelivery(tx, id)
      await audit(tx, req, 'notification.redelivered', `notification:${id}`)
      return requeued
    })
    ctx.loop.wake()
    return { status: 202, body: deliveryView(row) }
  }
}
