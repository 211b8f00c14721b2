import { AppError } from '@millrace/errors'
import { decodeCursor, encodeCursor, type RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { countWaitingRequests } from '../db/waiting-requests.js'
import { listWorkflows as selectWorkflows, type WorkflowRow } from '../db/workflows.js'
import { summariseRuns } from '../domain/workflow-activity.js'
import { type View, workflowSummary } from './views.js'

interface WorkflowsQuery {
  limit: number
  cursor?: string
  q?: string
  tag?: string
  paused?: boolean
  activity?: boolean
}

const shownRuns = 30

export function listWorkflows(ctx: AppContext): RouteHandler {
  return async (req) => {
    const query = req.query as unknown as WorkflowsQuery
    const { projectId } = req.identity
    const rows = await selectWorkflows(ctx.pool, {
      projectId,
      q: query.q,
      tag: query.tag,
      paused: query.paused,
      before: query.cursor === undefined ? undefined : decodeCursor(query.cursor, { createdAt: 'time', id: 'uuid' }),
      limit: query.limit + 1,
    })
    const shown = rows.slice(0, query.limit)
    const last = rows.length > query.limit ? shown.at(-1) : undefined
    const nextCursor = last ? encodeCursor({ createdAt: last.createdAt.toISOString(), id: last.id }) : null
    const items = query.activity ? await withActivity(ctx, projectId, shown) : shown.map(workflowSummary)
    return { status: 200, body: { items, nextCursor } }
  }
}

/** The list itself is workflow's own: without the scheduler it says less. */
function onOutage(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'unavailable') throw error
}

async function withActivity(ctx: AppContext, projectId: string, rows: readonly WorkflowRow[]): Promise<View[]> {
  if (rows.length === 0) return []
  const workflows = rows.map(({ name }) => name)
  const [found, waiting] = await Promise.all([
    ctx.scheduler.listActivity({ projectId, workflows, limit: shownRuns }).catch(onOutage),
    // Runs of a paused workflow are not the scheduler's yet.
    countWaitingRequests(
      ctx.pool,
      rows.map(({ id }) => id),
    ),
  ])
  if (!found) return rows.map(workflowSummary)
  const byName = new Map(found.map((each) => [each.workflow, each]))
  return rows.map((row) => {
    const { open = 0, nextAt = '', ended = [] } = byName.get(row.name) ?? {}
    const { last, p95, runs } = summariseRuns(ended)
    const activity = {
      ...{ open: open + (waiting.get(row.id) ?? 0), last: last ?? null, p95, runs },
      nextAt: nextAt === '' ? null : nextAt,
    }
    return { ...workflowSummary(row), activity }
  })
}
