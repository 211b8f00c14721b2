import { unprocessable } from '@millrace/errors'
import { decodeCursor, encodeCursor, type RouteHandler } from '@millrace/http'
import type { JobFilter, JobStatus } from '@millrace/job-store'
import { validate as isUuid } from 'uuid'
import type { AppContext } from '../context.js'
import { jobView } from './job-view.js'

interface ListQuery {
  run?: string
  workflow?: string
  task?: string
  status?: JobStatus[]
  worker?: string
  errorCode?: string
  label?: string
  from?: string
  to?: string
  q?: string
  limit: number
  cursor?: string
}

const cursorShape = { createdAt: 'time', id: 'uuid' } as const

export function listJobs(ctx: AppContext): RouteHandler {
  return async (req) => {
    const query = req.query as unknown as ListQuery
    const before = query.cursor === undefined ? undefined : decodeCursor(query.cursor, cursorShape)
    // An id that is none matches nothing.
    if (query.run !== undefined && !isUuid(query.run)) return { status: 200, body: { items: [], nextCursor: null } }
    const filter = filterOf(req.identity.projectId, query)
    const jobs = await ctx.store.listJobs(filter, { limit: query.limit + 1, ...(before && { before }) })
    const shown = jobs.slice(0, query.limit)
    const last = shown.at(-1)
    const more = jobs.length > query.limit && last !== undefined
    const nextCursor = more ? encodeCursor({ createdAt: last.createdAt, id: last.id }) : null
    return { status: 200, body: { items: shown.map(jobView), nextCursor } }
  }
}

function filterOf(projectId: string, query: ListQuery): JobFilter {
  return {
    projectId,
    ...(query.run !== undefined && { runId: query.run }),
    ...(query.workflow !== undefined && { workflow: query.workflow }),
    ...(query.task !== undefined && { task: query.task }),
    ...(query.status !== undefined && { statuses: query.status }),
    ...(query.worker !== undefined && { workerId: query.worker }),
    ...(query.errorCode !== undefined && { errorCode: query.errorCode }),
    ...(query.label !== undefined && { labels: labelOf(query.label) }),
    ...(query.from !== undefined && { from: new Date(query.from) }),
    ...(query.to !== undefined && { to: new Date(query.to) }),
    ...(query.q !== undefined && query.q !== '' && { text: query.q }),
  }
}

function labelOf(text: string): Record<string, string> {
  const at = text.indexOf('=')
  if (at > 0) return { [text.slice(0, at)]: text.slice(at + 1) }
  throw unprocessable('invalid_label', 'label is not of the form key=value.', [
    { path: '/label', code: 'invalid_label', message: 'must be key=value' },
  ])
}
