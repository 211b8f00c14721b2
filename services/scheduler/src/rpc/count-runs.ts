import type { scheduler } from '@millrace/contracts'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { countRuns as queryCounts } from '../db/count-runs.js'
import { whichRunsExist } from '../db/queries.js'
import { readerProject } from './caller.js'

export function countRuns(
  ctx: AppContext,
): UnaryHandler<scheduler.CountRunsRequest__Output, scheduler.CountRunsResponse> {
  return async (request, call) => {
    const { workflow, from, to } = request
    // Before counting, as ListRuns does: a run that arrives between the two is counted twice rather than not at all.
    const takenIds = await whichRunsExist(ctx.pool, request.requestedIds)
    const projectId = readerProject(call, request.projectId)
    const counts = await queryCounts(ctx.pool, { projectId, workflow, from: from || null, to: to || null })
    return { counts, takenIds }
  }
}
