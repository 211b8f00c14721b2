import type { scheduler } from '@millrace/contracts'
import { notFound } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { findTask } from '../db/queries.js'
import { readerProject, requireId } from './caller.js'
import { toProtoTask } from './to-proto.js'

export function getTask(ctx: AppContext): UnaryHandler<scheduler.GetTaskRequest__Output, scheduler.GetTaskResponse> {
  return async (request, call) => {
    const taskId = requireId(request.taskId, 'task_not_found')
    const task = await findTask(ctx.pool, taskId, readerProject(call, request.projectId))
    if (!task) throw notFound('task_not_found', 'no such task')
    return { task: toProtoTask(task) }
  }
}
