import { notFound, permissionDenied } from '@millrace/errors'
import type { RouteHandler, RouteRequest } from '@millrace/http'
import { roleAllows } from '@millrace/identity'
import { withTransaction } from '@millrace/postgres'
import { v7, validate } from 'uuid'
import type { AppContext } from '../context.js'
import { type BulkAction, type BulkJob, findBulkJob, insertBulkJob } from '../db/bulk-jobs.js'
import { whichRequestsExist } from '../db/run-requests.js'
import { audit } from './audit.js'
import { type RunFilter, searchOf, searchPage } from './list-runs.js'
import { idOf } from './path-id.js'
import type { View } from './views.js'

/** As many as one job takes on; a filter that matches more says so, and is asked again. */
const maxRuns = 10_000
const pageSize = 200

const applicable: Record<BulkAction, readonly string[]> = {
  cancel: ['queued', 'running', 'paused'],
  retry: ['failed', 'cancelled'],
  delete: ['succeeded', 'failed', 'cancelled'],
}

type BulkFilter = Omit<RunFilter, 'status'> & { status?: string | string[] }

interface BulkBody {
  action: BulkAction
  ids?: string[]
  filter?: BulkFilter
  dryRun?: boolean
}

export function bulkRuns(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { action, ids, filter, dryRun } = req.body as BulkBody
    const { projectId, subject, role } = req.identity
    if (action === 'delete' && !roleAllows(role, 'editor')) {
      throw permissionDenied('forbidden', 'Deleting runs needs the role editor.')
    }
    const found = ids === undefined ? await matching(ctx, req, action, filter ?? {}) : await named(ctx, projectId, ids)
    if (dryRun) return { status: 200, body: { matched: found.ids.length, more: found.more } }
    const job = { id: v7(), projectId, action, requestedBy: subject }
    const reply = { status: 202, body: { id: job.id, matched: found.ids.length, more: found.more } }
    await withTransaction(ctx.pool, async (tx) => {
      await insertBulkJob(tx, job, found.ids)
      await audit(tx, req, `run.bulk_${action}`, `bulk:${job.id}`)
      await req.settle(tx, reply)
    })
    return reply
  }
}

interface Found {
  ids: string[]
  more: boolean
}

async function named(ctx: AppContext, projectId: string, ids: readonly string[]): Promise<Found> {
  const asked = [...new Set(ids.filter((id) => validate(id)).map((id) => id.toLowerCase()))]
  return { ids: await whichRequestsExist(ctx.pool, projectId, asked), more: false }
}

/** Those alone that are in a state in which the action means something. */
async function matching(ctx: AppContext, req: RouteRequest, action: BulkAction, filter: BulkFilter): Promise<Found> {
  const asked = filter.status?.toString().split(',')
  const status = applicable[action].filter((one) => asked?.includes(one) ?? true)
  if (status.length === 0) return { ids: [], more: false }
  const search = searchOf(req.identity.projectId, { ...filter, status, limit: pageSize })
  const ids = new Set<string>()
  for (let before: Parameters<typeof searchPage>[2]; ; ) {
    const page = await searchPage(ctx, search, before)
    for (const { id } of page.items) ids.add(id)
    if (ids.size > maxRuns) return { ids: [...ids].slice(0, maxRuns), more: true }
    if (page.floor === undefined) return { ids: [...ids], more: false }
    before = page.floor
  }
}

export function getBulk(ctx: AppContext): RouteHandler {
  return async (req) => {
    const absent = () => notFound('bulk_not_found', 'There is no such bulk job.')
    const job = await findBulkJob(ctx.pool, req.identity.projectId, idOf(req.params.id, absent))
    if (job === undefined) throw absent()
    return { status: 200, body: bulkView(job) }
  }
}

function bulkView(job: BulkJob): View {
  const { id, action, matched, done, skipped, failed, errors } = job
  return {
    ...{ id, action, status: job.finishedAt === null ? 'running' : 'done', matched, done, skipped, failed, errors },
    createdAt: job.createdAt.toISOString(),
    finishedAt: job.finishedAt?.toISOString() ?? null,
  }
}
