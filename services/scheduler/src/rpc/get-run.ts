import type { scheduler } from '@millrace/contracts'
import { notFound } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { findRun, listTasksOfRun } from '../db/queries.js'
import { readerProject, requireId } from './caller.js'
import { taskMapper, toProtoRun } from './to-proto.js'

export function getRun(ctx: AppContext): UnaryHandler<scheduler.GetRunRequest__Output, scheduler.GetRunResponse> {
  return async (request, call) => {
    const runId = requireId(request.runId, 'run_not_found')
    const projectId = readerProject(call, request.projectId)
    return readRun(ctx, runId, projectId, request.withoutTasks)
  }
}

export async function readRun(
  ctx: AppContext,
  runId: string,
  projectId: string,
  withoutTasks = false,
): Promise<scheduler.GetRunResponse> {
  const run = await findRun(ctx.pool, runId, projectId)
  if (!run) throw notFound('run_not_found', 'no such run')
  const tasks = withoutTasks ? [] : await listTasksOfRun(ctx.pool, runId)
  return { run: toProtoRun(run), tasks: tasks.map(taskMapper(run)) }
}
