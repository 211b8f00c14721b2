import type { scheduler } from '@millrace/contracts'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { listRuns as queryRuns } from '../db/list-runs.js'
import { whichRunsExist } from '../db/queries.js'
import { readerProject } from './caller.js'
import { toProtoRun } from './to-proto.js'

export function listRuns(ctx: AppContext): UnaryHandler<scheduler.ListRunsRequest__Output, scheduler.ListRunsResponse> {
  return async (request, call) => {
    // Before the list: a run that arrives between the two is listed and not named as taken, so the caller sees it twice
    // and drops one. The other way round it would see it not at all.
    const takenIds = await whichRunsExist(ctx.pool, request.requestedIds)
    const before = request.beforeCreatedAt === '' ? null : { createdAt: request.beforeCreatedAt, id: request.beforeId }
    const runs = await queryRuns(ctx.pool, {
      projectId: readerProject(call, request.projectId),
      workflow: request.workflow,
      statuses: request.statuses,
      labels: request.labels,
      from: request.from || null,
      to: request.to || null,
      query: request.query,
      errorCode: request.errorCode,
      before,
      oldestFirst: request.oldestFirst,
      limit: Math.min(Math.max(request.limit, 1), 201),
    })
    return { runs: runs.map(toProtoRun), takenIds }
  }
}
