import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { findJob } from './find-job.js'

export function getJobMetrics(ctx: AppContext): RouteHandler {
  return async (req) => {
    const job = await findJob(ctx, req)
    const logs = await ctx.store.countLogs(job.projectId, job.runId, job.id)
    const byAttempt = job.attempts.map(({ attempt, status, queueWaitMs, durationMs, executionMs }) => {
      return { attempt, status, queueWaitMs, durationMs, executionMs }
    })
    return { status: 200, body: { jobId: job.id, status: job.status, ...job.metrics, logs, byAttempt } }
  }
}
