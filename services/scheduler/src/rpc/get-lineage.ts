import type { scheduler } from '@millrace/contracts'
import { notFound } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { findLineage } from '../db/lineage.js'
import { findRun } from '../db/queries.js'
import { readerProject, requireId } from './caller.js'
import { toProtoRun } from './to-proto.js'

export function getLineage(
  ctx: AppContext,
): UnaryHandler<scheduler.GetLineageRequest__Output, scheduler.GetLineageResponse> {
  return async (request, call) => {
    const runId = requireId(request.runId, 'run_not_found')
    const projectId = readerProject(call, request.projectId)
    if (!(await findRun(ctx.pool, runId, projectId))) throw notFound('run_not_found', 'no such run')
    const related = await findLineage(ctx.pool, runId, projectId)
    return {
      runs: related.map(({ relation, task, index, ...run }) => ({ relation, task, index, run: toProtoRun(run) })),
    }
  }
}
