import { decodeCursor, encodeCursor, type RouteHandler } from '@millrace/http'
import type { ProtoRun } from '../clients/scheduler.js'
import type { AppContext } from '../context.js'
import { listOpenRequests, type RequestStatus, type RunRequest } from '../db/run-requests.js'
import { parseLabelFilter } from '../domain/labels.js'
import { mergeSources, type Position, type RunOrder } from '../domain/merge-runs.js'
import { parseTime } from './parse-time.js'
import { runOf, runSummary } from './views.js'

interface RunsQuery extends RunFilter {
  limit: number
  cursor?: string
  order?: RunOrder
}

export interface RunFilter {
  workflow?: string
  status?: string[]
  label?: string
  from?: string
  to?: string
  q?: string
  errorCode?: string
}

const requestStatuses: ReadonlySet<string> = new Set<RequestStatus>(['queued', 'paused', 'cancelling'])

/** Beyond this a page is short and its cursor says where to go on. */
const maxRounds = 20

export function listRuns(ctx: AppContext): RouteHandler {
  return async (req) => {
    const query = req.query as unknown as RunsQuery
    const search = searchOf(req.identity.projectId, query)
    const items: ProtoRun[] = []
    let before: Position | undefined =
      query.cursor === undefined ? undefined : decodeCursor(query.cursor, { createdAt: 'time', id: 'uuid' })
    // Many requests of one page may turn out to be the scheduler's already; then there is more to look at.
    for (
      let round = 0;
      round === 0 || (round < maxRounds && before !== undefined && items.length <= query.limit);
      round++
    ) {
      const page = await searchPage(ctx, search, before)
      items.push(...page.items)
      before = page.floor
    }
    const shown = items.slice(0, query.limit)
    const next = items.length > query.limit ? shown.at(-1) : before
    const nextCursor = next ? encodeCursor({ createdAt: next.createdAt, id: next.id }) : null
    await ctx.nameStarters(req.identity, shown)
    return { status: 200, body: { items: shown.map(runSummary), nextCursor } }
  }
}

export function searchOf(projectId: string, query: Omit<RunsQuery, 'cursor'>): Search {
  return {
    ...query,
    projectId,
    labels: parseLabelFilter(query.label),
    from: parseTime('/from', query.from),
    to: parseTime('/to', query.to),
  }
}

type Search = Omit<RunsQuery, 'from' | 'to'> & {
  projectId: string
  labels: Record<string, string>
  from: string | undefined
  to: string | undefined
}

/**
 * In this order nothing falls between: what leaves the requests after they were read is in the scheduler when asked.
 * What arrives while the scheduler answers may be in both: its word about it is the newer one.
 */
export async function searchPage(
  ctx: AppContext,
  search: Search,
  before: Position | undefined,
): Promise<{ items: ProtoRun[]; floor?: Position }> {
  const limit = search.limit + 1
  const requests = await openRequests(ctx, search, before, limit)
  const { runs, takenIds } = await ctx.scheduler.listRuns({
    projectId: search.projectId,
    workflow: search.workflow ?? '',
    statuses: search.status ?? [],
    labels: search.labels,
    from: search.from ?? '',
    to: search.to ?? '',
    query: search.q ?? '',
    errorCode: search.errorCode ?? '',
    limit,
    beforeCreatedAt: before?.createdAt ?? '',
    beforeId: before?.id ?? '',
    requestedIds: requests.map((request) => request.id),
    oldestFirst: search.order === 'oldest',
  })
  const taken = new Set([...takenIds, ...runs.map((run) => run.id)])
  const asked = requests.map(runOf)
  const live = asked.filter((request) => !taken.has(request.id))
  return mergeSources(
    { items: live, end: requests.length === limit ? asked.at(-1) : undefined },
    { items: runs, end: runs.length === limit ? runs.at(-1) : undefined },
    search.order,
  )
}

async function openRequests(
  ctx: AppContext,
  search: Search,
  before: Position | undefined,
  limit: number,
): Promise<RunRequest[]> {
  const statuses = search.status?.filter((status) => requestStatuses.has(status))
  // A request has not failed.
  if (statuses?.length === 0 || search.errorCode) return []
  return listOpenRequests(ctx.pool, {
    projectId: search.projectId,
    workflow: search.workflow,
    query: search.q,
    labels: search.labels,
    from: search.from,
    to: search.to,
    statuses: statuses as RequestStatus[] | undefined,
    before,
    order: search.order,
    limit,
  })
}
