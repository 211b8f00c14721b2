import { decodeCursor, type RouteHandler } from '@millrace/http'
import { validate } from 'uuid'
import type { AppContext } from '../context.js'
import { listDeliveries } from '../db/deliveries.js'
import { pageOf } from './page.js'
import { deliveryView } from './views.js'

export function listNotifications(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { subscription, run, cursor } = req.query as Record<string, string | undefined>
    const limit = req.query.limit as number
    // What is no id names nothing, so nothing is found by it.
    if ([subscription, run].some((id) => id !== undefined && !validate(id))) {
      return { status: 200, body: { items: [], nextCursor: null } }
    }
    const rows = await listDeliveries(ctx.pool, {
      projectId: req.identity.projectId,
      subscriptionId: subscription,
      runId: run,
      statuses: req.query.status as string[] | undefined,
      afterId: cursor === undefined ? undefined : decodeCursor(cursor, { id: 'uuid' }).id,
      limit: limit + 1,
    })
    return { status: 200, body: pageOf(rows, limit, deliveryView) }
  }
}
