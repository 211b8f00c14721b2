import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { getJob } from './get-job.js'
import { getJobLogs } from './get-job-logs.js'
import { getJobMetrics } from './get-job-metrics.js'
import { getRunLogs } from './get-run-logs.js'
import { getStats } from './get-stats.js'
import { getTaskStats } from './get-task-stats.js'
import { listJobs } from './list-jobs.js'

/** By the operation ids of the route table. */
export function handlersOf(ctx: AppContext): Record<string, RouteHandler> {
  return {
    listJobs: listJobs(ctx),
    getJob: getJob(ctx),
    getJobLogs: getJobLogs(ctx),
    getJobMetrics: getJobMetrics(ctx),
    getRunLogs: getRunLogs(ctx),
    getStats: getStats(ctx),
    getTaskStats: getTaskStats(ctx),
  }
}
