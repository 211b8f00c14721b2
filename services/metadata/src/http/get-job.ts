import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { findJob } from './find-job.js'
import { artifactTaskOf, artifactView, jobView } from './job-view.js'

export function getJob(ctx: AppContext): RouteHandler {
  return async (req) => {
    const job = await findJob(ctx, req)
    const artifacts = await ctx.store.listArtifacts(job.projectId, job.runId, artifactTaskOf(job))
    return { status: 200, body: { ...jobView(job), artifacts: artifacts.map(artifactView) } }
  }
}
