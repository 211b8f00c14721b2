import type { scheduler } from '@millrace/contracts'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { countRuns as queryCounts } from '../db/count-runs.js'
import { readerProject } from './caller.js'

export function countRuns(
  ctx: AppContext,
): UnaryHandler<scheduler.CountRunsRequest__Output, scheduler.CountRunsResponse> {
  return async (request, call) => {
    const { workflow, from, to } = request
    const projectId = readerProject(call, request.projectId)
    return queryCounts(ctx.pool, { projectId, workflow, from: from || null, to: to || null }, request.requestedIds)
  }
}
