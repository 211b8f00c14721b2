import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { readStatsRange } from '../domain/stats-range.js'

export function getStats(ctx: AppContext): RouteHandler {
  return async (req) => {
    const query = req.query as { from?: string; to?: string; workflow?: string; bucket?: string }
    const range = readStatsRange(query, Date.now())
    const workflow = query.workflow === undefined ? {} : { workflow: query.workflow }
    const stats = await ctx.store.stats({ projectId: req.identity.projectId, ...range, ...workflow })
    const { from, to, bucketMs } = range
    return { status: 200, body: { from: from.toISOString(), to: to.toISOString(), bucketMs, ...stats } }
  }
}
