import { decodeCursor, encodeCursor, type RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { listOpenRequests, type RunRequest } from '../db/run-requests.js'
import { parseLabelFilter } from '../domain/labels.js'
import { mergeSources, type Position } from '../domain/merge-runs.js'
import { requestSummary, runSummary, type View } from './views.js'

interface RunsQuery {
  limit: number
  cursor?: string
  workflow?: string
  status?: string
  label?: string
  from?: string
  to?: string
  q?: string
}

type Summary = View & Position

export function listRuns(ctx: AppContext): RouteHandler {
  return async (req) => {
    const query = req.query as unknown as RunsQuery
    const search = { ...query, projectId: req.identity.projectId, labels: parseLabelFilter(query.label) }
    const items: Summary[] = []
    let before: Position | undefined =
      query.cursor === undefined ? undefined : decodeCursor(query.cursor, { createdAt: 'time', id: 'uuid' })
    // Many requests of one page may turn out to be the scheduler's already; then there is more to look at.
    do {
      const page = await readPage(ctx, search, before)
      items.push(...page.items)
      before = page.floor
    } while (before !== undefined && items.length <= query.limit)
    const shown = items.slice(0, query.limit)
    const last = items.length > query.limit ? shown.at(-1) : undefined
    const nextCursor = last ? encodeCursor({ createdAt: last.createdAt, id: last.id }) : null
    return { status: 200, body: { items: shown, nextCursor } }
  }
}

type Search = RunsQuery & { projectId: string; labels: Record<string, string> }

/** In this order nothing falls between: what leaves the requests after they were read is in the scheduler when asked. */
async function readPage(ctx: AppContext, search: Search, before: Position | undefined) {
  const limit = search.limit + 1
  const requests = await openRequests(ctx, search, before, limit)
  const { runs, takenIds } = await ctx.scheduler.listRuns({
    projectId: search.projectId,
    workflow: search.workflow ?? '',
    statuses: search.status === undefined ? [] : [search.status],
    labels: search.labels,
    from: search.from ?? '',
    to: search.to ?? '',
    query: search.q ?? '',
    limit,
    beforeCreatedAt: before?.createdAt ?? '',
    beforeId: before?.id ?? '',
    requestedIds: requests.map((request) => request.id),
  })
  const taken = new Set(takenIds)
  const summaries: Summary[] = requests.map(requestSummary)
  const live = summaries.filter((request) => !taken.has(request.id))
  const known: Summary[] = runs.map(runSummary)
  return mergeSources(
    { items: live, end: requests.length === limit ? summaries.at(-1) : undefined },
    { items: known, end: known.length === limit ? known.at(-1) : undefined },
  )
}

async function openRequests(
  ctx: AppContext,
  search: Search,
  before: Position | undefined,
  limit: number,
): Promise<RunRequest[]> {
  const { status } = search
  if (status !== undefined && status !== 'queued' && status !== 'cancelling') return []
  return listOpenRequests(ctx.pool, {
    projectId: search.projectId,
    workflow: search.workflow,
    query: search.q,
    labels: search.labels,
    from: search.from,
    to: search.to,
    cancelling: status === undefined ? undefined : status === 'cancelling',
    before,
    limit,
  })
}
