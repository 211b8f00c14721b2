import type { control as proto } from '@millrace/contracts'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../../context.js'
import { countSharedWorkers, listWorkers as read, totalWorkers } from '../../db/workers.js'
import { readerProject } from '../caller.js'
import { toProtoWorker } from './to-proto.js'

const MAX_LIMIT = 201

export function listWorkers(
  ctx: AppContext,
): UnaryHandler<proto.ListWorkersRequest__Output, proto.ListWorkersResponse> {
  return async (request, call) => {
    const { beforeStartedAt: startedAt, beforeSessionId: sessionId, withShared, state } = request
    const projectId = readerProject(call, request.projectId)
    const filter = {
      projectId,
      withShared,
      state,
      before: startedAt === '' ? null : { startedAt, sessionId },
      limit: Math.min(Math.max(request.limit, 1), MAX_LIMIT),
    }
    const [workers, shared, totals] = await Promise.all([
      read(ctx.pool, filter),
      countSharedWorkers(ctx.pool),
      totalWorkers(ctx.pool, projectId, withShared),
    ])
    return { workers: workers.map(toProtoWorker), shared, totals }
  }
}
