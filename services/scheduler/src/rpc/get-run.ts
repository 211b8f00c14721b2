import type { scheduler } from '@millrace/contracts'
import { notFound } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { findRun, listTasksOfRun } from '../db/queries.js'
import { readerProject, requireId } from './caller.js'
import { taskMapper, toProtoRun } from './to-proto.js'

/** All outputs of an answer, well below what a message may have; the rest is had from ListTasks. */
export const OUTPUT_BYTES = 3 * 1024 * 1024

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
  if (withoutTasks) return { run: toProtoRun(run), tasks: [] }
  const tasks = await listTasksOfRun(ctx.pool, runId, OUTPUT_BYTES)
  const plan = await ctx.engine.planOf(run.version_id)
  const shown = { ...toProtoRun(run), expectedDuration: plan.expectedDuration ?? '' }
  return { run: shown, tasks: tasks.map(taskMapper(run, plan)) }
}
