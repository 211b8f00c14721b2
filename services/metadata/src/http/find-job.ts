import { notFound } from '@millrace/errors'
import type { RouteRequest } from '@millrace/http'
import type { JobDocument } from '@millrace/job-store'
import { validate as isUuid } from 'uuid'
import type { AppContext } from '../context.js'

/** The job that the path names, of the caller's project; what is no id cannot be found. */
export async function findJob(ctx: Pick<AppContext, 'runs'>, req: RouteRequest): Promise<JobDocument> {
  const id = (req.params.id ?? '').toLowerCase()
  const job = isUuid(id) ? await ctx.runs.findJobSoon(req.identity.projectId, id, req.signal) : undefined
  if (job === undefined) throw notFound('job_not_found', 'There is no such job.')
  return job
}
