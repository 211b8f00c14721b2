import type { Plan } from '@millrace/definition'
import { internal } from '@millrace/errors'
import type { RunWithTasks } from '../clients/scheduler.js'
import type { AppContext } from '../context.js'
import { findRunRequest, type RunRequest } from '../db/run-requests.js'
import { runAbsent } from './path-id.js'

/**
 * The scheduler's answer, else the request. A request may be taken between the two questions: then the scheduler is
 * asked once more. What it does not have although it took it once is gone.
 */
export async function seekRun<T>(
  ctx: AppContext,
  projectId: string,
  runId: string,
  ask: () => Promise<T | undefined>,
): Promise<{ found: T } | { request: RunRequest }> {
  const first = await ask()
  if (first !== undefined) return { found: first }
  const request = await findRunRequest(ctx.pool, projectId, runId)
  if (request === undefined) throw runAbsent()
  if (request.takenAt === null) return { request }
  const second = await ask()
  if (second === undefined) throw runAbsent()
  return { found: second }
}

export const findRun = (
  ctx: AppContext,
  projectId: string,
  runId: string,
): Promise<{ found: RunWithTasks } | { request: RunRequest }> =>
  seekRun(ctx, projectId, runId, () => ctx.scheduler.getRun(projectId, runId))

export async function planOf(ctx: AppContext, request: RunRequest): Promise<Plan> {
  const version = await ctx.versions.byId(request.versionId)
  if (version === undefined) throw internal('the version of a run is missing')
  return version.plan
}
