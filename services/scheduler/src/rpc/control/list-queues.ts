import type { control as proto } from '@millrace/contracts'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../../context.js'
import { listQueues as read } from '../../db/queues.js'
import { readerProject } from '../caller.js'
import { toProtoQueue } from './to-proto.js'

const MAX_LIMIT = 201

export function listQueues(ctx: AppContext): UnaryHandler<proto.ListQueuesRequest__Output, proto.ListQueuesResponse> {
  return async (request, call) => {
    const { withShared, name, afterName: after, deepestFirst, afterDepth } = request
    const limit = Math.min(Math.max(request.limit, 1), MAX_LIMIT)
    const projectId = readerProject(call, request.projectId)
    const queues = await read(ctx.pool, { projectId, withShared, name, after, afterDepth, deepestFirst, limit })
    return { queues: queues.map(toProtoQueue), waiting: queues[0]?.waiting ?? 0 }
  }
}
