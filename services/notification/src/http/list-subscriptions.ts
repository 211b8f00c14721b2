import { decodeCursor, type RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { listSubscriptions } from '../db/subscriptions.js'
import { pageOf } from './page.js'
import { subscriptionView } from './views.js'

export function listSubscriptionsRoute(ctx: AppContext): RouteHandler {
  return async (req) => {
    const limit = req.query.limit as number
    const cursor = req.query.cursor as string | undefined
    const afterId = cursor === undefined ? undefined : decodeCursor(cursor, { id: 'uuid' }).id
    const rows = await listSubscriptions(ctx.pool, req.identity.projectId, limit + 1, afterId)
    return { status: 200, body: pageOf(rows, limit, (row) => subscriptionView(ctx.box, row, req.identity.role)) }
  }
}
