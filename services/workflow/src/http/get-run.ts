import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { findRun, planOf } from './find-run.js'
import { runIdOf } from './path-id.js'
import { requestDetail, runDetail, type View } from './views.js'

export function getRun(ctx: AppContext): RouteHandler {
  return async (req) => ({ status: 200, body: await detailOf(ctx, req.identity.projectId, runIdOf(req)) })
}

export async function detailOf(ctx: AppContext, projectId: string, runId: string): Promise<View> {
  const run = await findRun(ctx, projectId, runId)
  if ('found' in run) return runDetail(run.found.run, run.found.tasks)
  return requestDetail(run.request, await planOf(ctx, run.request))
}
