import type { scheduler } from '@millrace/contracts'
import { conflict } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { findRun } from '../db/queries.js'
import { type RunStatus, runHasEnded } from '../domain/run-state.js'
import { readerProject, requireId } from './caller.js'
import { toProtoRun } from './to-proto.js'

export function cancelRun(
  ctx: AppContext,
): UnaryHandler<scheduler.CancelRunRequest__Output, scheduler.CancelRunResponse> {
  return async (request, call) => {
    const runId = requireId(request.runId, 'run_not_found')
    const projectId = readerProject(call, request.projectId)
    const before = await findRun(ctx.pool, runId, projectId)
    if (before && runHasEnded(before.status as RunStatus))
      throw conflict('run_ended', `the run has already ${before.status}`)
    // A run of another project is not known here under this one; the caller has checked that the request is its own.
    const outcome = await ctx.engine.cancel(runId, request.reason || 'cancelled')
    if (outcome === 'absent') return { run: null }
    const after = await findRun(ctx.pool, runId, projectId)
    return { run: after ? toProtoRun(after) : null }
  }
}
