import { notFound } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import { LRUCache } from 'lru-cache'
import type { AppContext } from '../context.js'
import { countRunsToday } from '../db/daily-runs.js'
import { countWorkflows } from '../db/workflow-quota.js'

/** Of an administrator who is not a member: the project is known by its slug alone. */
const NO_PROJECT = '00000000-0000-0000-0000-000000000000'
/** Counting a day's runs reads all of them. */
const REUSE_MS = 5000

/** What a project uses, quota by quota, asked of whoever counts it. */
export function getUsage(ctx: AppContext): RouteHandler {
  const runsToday = new LRUCache<string, Promise<number>>({ max: 10_000, ttl: REUSE_MS })

  function countRuns(projectId: string): Promise<number> {
    const known = runsToday.get(projectId)
    if (known) return known
    const counting = countRunsToday(ctx.pool, projectId)
    runsToday.set(projectId, counting)
    counting.catch(() => runsToday.delete(projectId))
    return counting
  }

  return async ({ identity }) => {
    const { projectId, project: slug } = identity
    const counted = await ctx.usage(projectId === NO_PROJECT ? { slug } : { projectId })
    if (!counted) throw notFound('project_not_found', 'There is no such project.')
    const [runs, workflows, schedules] = await Promise.all([
      countRuns(counted.projectId),
      countWorkflows(ctx.pool, counted.projectId),
      ctx.schedules.count(counted.projectId),
    ])
    const { revision: _, ...quotas } = counted.quotas
    const usage = {
      runsPerDay: runs,
      storageBytes: counted.storageBytes,
      streams: counted.streams,
      schedules,
      workflows,
      mailsPerDay: counted.mailsToday,
    }
    return { status: 200, body: { usage, quotas } }
  }
}
