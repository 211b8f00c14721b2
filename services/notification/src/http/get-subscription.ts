import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { findSubscription } from '../db/subscriptions.js'
import { absent, pathId } from './path-id.js'
import { subscriptionView } from './views.js'

export function getSubscription(ctx: AppContext): RouteHandler {
  return async (req) => {
    const row = await findSubscription(ctx.pool, req.identity.projectId, pathId(req, 'subscription'))
    if (row === undefined) throw absent('subscription')
    return { status: 200, body: subscriptionView(ctx.box, row, req.identity.role) }
  }
}
