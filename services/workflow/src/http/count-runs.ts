import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { countOpenRequests } from '../db/run-requests.js'
import { parseTime } from './parse-time.js'

const statuses = ['queued', 'running', 'paused', 'cancelling', 'succeeded', 'failed', 'cancelled'] as const

/** In the order of lists: first the requests, then the scheduler, which says which of them it already has. */
export function countRuns(ctx: AppContext): RouteHandler {
  return async (req) => {
    const query = req.query as { workflow?: string; from?: string; to?: string }
    const { projectId } = req.identity
    const from = parseTime('/from', query.from)
    const to = parseTime('/to', query.to)
    const requests = await countOpenRequests(ctx.pool, { projectId, workflow: query.workflow, from, to })
    const { counts, takenIds } = await ctx.scheduler.countRuns({
      ...{ projectId, workflow: query.workflow ?? '', from: from ?? '', to: to ?? '' },
      requestedIds: requests.underWay.map(({ id }) => id),
    })
    const taken = new Set(takenIds)
    const total = new Map(Object.entries(counts))
    const add = (status: string, count: number) => total.set(status, (total.get(status) ?? 0) + count)
    for (const { status, count } of requests.waiting) add(status, count)
    for (const { id, status } of requests.underWay) if (!taken.has(id)) add(status, 1)
    return { status: 200, body: { items: statuses.map((status) => ({ status, count: total.get(status) ?? 0 })) } }
  }
}
