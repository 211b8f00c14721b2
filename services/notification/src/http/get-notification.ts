import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { findDelivery, listAttempts } from '../db/deliveries.js'
import { absent, pathId } from './path-id.js'
import { attemptView, deliveryView } from './views.js'

export function getNotification(ctx: AppContext): RouteHandler {
  return async (req) => {
    const id = pathId(req, 'notification')
    const row = await findDelivery(ctx.pool, req.identity.projectId, id)
    if (row === undefined) throw absent('notification')
    const attempts = await listAttempts(ctx.pool, id)
    // That of a digest is written when it is sent.
    const payload: unknown = row.body === '' ? {} : JSON.parse(row.body)
    return { status: 200, body: { ...deliveryView(row), payload, attempts: attempts.map(attemptView) } }
  }
}
