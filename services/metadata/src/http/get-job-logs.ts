import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { endOfJob } from '../known-runs.js'
import { findJob } from './find-job.js'
import { readLogRequest } from './log-request.js'
import { streamFollowed, streamPlain } from './stream-logs.js'

export function getJobLogs(ctx: AppContext): RouteHandler {
  return async (req) => {
    const asked = readLogRequest(req)
    const { id: jobId, projectId, runId } = await findJob(ctx, req)
    const scope = { projectId, runId, jobId, ...asked.filter }
    if (!asked.follow) return await streamPlain(ctx, req, asked, scope)
    const finishedAt = async () => {
      const job = await ctx.store.getJob(projectId, jobId)
      return job === undefined ? 0 : endOfJob(job)
    }
    return await streamFollowed(ctx, req, asked, scope, finishedAt)
  }
}
