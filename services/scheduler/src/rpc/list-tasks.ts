import type { scheduler } from '@millrace/contracts'
import { notFound, unprocessable } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { findRun, listTasks as queryTasks } from '../db/queries.js'
import { readerProject, requireId } from './caller.js'
import { OUTPUT_BYTES } from './get-run.js'
import { taskMapper } from './to-proto.js'

const MAX_LIMIT = 200

export function listTasks(
  ctx: AppContext,
): UnaryHandler<scheduler.ListTasksRequest__Output, scheduler.ListTasksResponse> {
  return async (request, call) => {
    const runId = requireId(request.runId, 'run_not_found')
    const projectId = readerProject(call, request.projectId)
    const run = await findRun(ctx.pool, runId, projectId)
    if (!run) throw notFound('run_not_found', 'no such run')
    const limit = request.limit > 0 ? Math.min(request.limit, MAX_LIMIT) : MAX_LIMIT
    const after = parseCursor(request.cursor)
    const tasks = await queryTasks(ctx.pool, {
      runId,
      key: request.key,
      status: request.status,
      after,
      limit: limit + 1,
      outputBytes: OUTPUT_BYTES,
    })
    // A page ends where its outputs would become too many; the first always fits.
    const full = tasks.findIndex((task) => task.output_omitted)
    const page = tasks.slice(0, full > 0 ? Math.min(full, limit) : limit)
    const last = page.at(-1)
    return {
      tasks: page.map(taskMapper(run, await ctx.engine.planOf(run.version_id))),
      nextCursor: tasks.length > page.length && last ? `${last.ordinal}.${last.idx}` : '',
    }
  }
}

function parseCursor(cursor: string): { ordinal: number; idx: number } {
  if (cursor === '') return { ordinal: -1, idx: -1 }
  const match = /^(\d{1,9})\.(-1|\d{1,9})$/.exec(cursor)
  if (!match) throw unprocessable('bad_cursor', 'the cursor is not one that a list gave')
  return { ordinal: Number(match[1]), idx: Number(match[2]) }
}
