import type { RouteHandler } from '@millrace/http'
import type { Identity } from '@millrace/identity'
import type { AppContext } from '../context.js'
import { findRun, planOf } from './find-run.js'
import { runIdOf } from './path-id.js'
import { requestDetail, runDetail, runOf, type View } from './views.js'

export function getRun(ctx: AppContext): RouteHandler {
  return async (req) => ({ status: 200, body: await detailOf(ctx, req.identity, runIdOf(req)) })
}

export type Reader = Pick<Identity, 'projectId' | 'role'>

export async function detailOf(ctx: AppContext, reader: Reader, runId: string): Promise<View> {
  const run = await findRun(ctx, reader.projectId, runId)
  if ('found' in run) {
    await ctx.nameStarters(reader, [run.found.run])
    return runDetail(run.found.run, run.found.tasks)
  }
  const asked = runOf(run.request)
  await ctx.nameStarters(reader, [asked])
  return requestDetail(asked, await planOf(ctx, run.request))
}
