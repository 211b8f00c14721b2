import type { RouteHandler } from '@millrace/http'
import { withTransaction } from '@millrace/postgres'
import { currentTraceparent } from '@millrace/telemetry'
import { v7 } from 'uuid'
import type { AppContext } from '../context.js'
import { type DeliveryRow, findDelivery, insertDeliveries } from '../db/deliveries.js'
import { findSubscription, type SubscriptionRow } from '../db/subscriptions.js'
import { endpointOf } from '../domain/channel.js'
import type { Body } from '../domain/event-body.js'
import { audit } from './audit.js'
import { absent, pathId } from './path-id.js'
import { deliveryView } from './views.js'

/** Sends one test at once, without retries; its outcome is read as that of any notification. */
export function testSubscription(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { projectId } = req.identity
    const subscriptionId = pathId(req, 'subscription')
    const row = await withTransaction(ctx.pool, async (tx) => {
      const subscription = await findSubscription(tx, projectId, subscriptionId)
      if (subscription === undefined) throw absent('subscription')
      const delivery = testDelivery(subscription)
      await insertDeliveries(tx, [delivery])
      await audit(tx, req, 'subscription.tested', `subscription:${subscriptionId}`)
      return (await findDelivery(tx, projectId, delivery.id)) as DeliveryRow
    })
    ctx.loop.wake()
    return { status: 202, body: deliveryView(row) }
  }
}

function testDelivery(subscription: SubscriptionRow) {
  const id = v7()
  const body: Body = {
    type: 'subscription.test',
    timestamp: new Date().toISOString(),
    data: { subscriptionId: subscription.id, message: 'This is a test. Nothing has happened.' },
  }
  return {
    id,
    projectId: subscription.projectId,
    subscriptionId: subscription.id,
    eventId: `test:${id}`,
    kind: 'test' as const,
    type: body.type,
    runId: null,
    body: JSON.stringify(body),
    recipients: null,
    endpoint: endpointOf(subscription.url),
    traceparent: currentTraceparent() ?? null,
  }
}
