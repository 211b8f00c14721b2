import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { deliveryStatistics } from '../db/delivery-statistics.js'
import { findSubscription } from '../db/subscriptions.js'
import { absent, pathId } from './path-id.js'

export function getSubscriptionStatistics(ctx: AppContext): RouteHandler {
  return async (req) => {
    const id = pathId(req, 'subscription')
    const row = await findSubscription(ctx.pool, req.identity.projectId, id)
    if (row === undefined) throw absent('subscription')
    const { p50, p95, p99, lastDeliveredAt, lastFailedAt, ...counts } = await deliveryStatistics(ctx.pool, id)
    const times = {
      lastDeliveredAt: lastDeliveredAt?.toISOString() ?? null,
      lastFailedAt: lastFailedAt?.toISOString() ?? null,
    }
    return { status: 200, body: { ...counts, ...times, latencyMs: { p50, p95, p99 } } }
  }
}
