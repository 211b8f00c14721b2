import type { scheduler } from '@millrace/contracts'
import { conflict } from '@millrace/errors'
import type { CallContext, UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { findRun } from '../db/queries.js'
import { type RunStatus, runHasEnded } from '../domain/run-state.js'
import { readerProject, requireId } from './caller.js'
import { toProtoRun } from './to-proto.js'

export const pauseRun = (
  ctx: AppContext,
): UnaryHandler<scheduler.PauseRunRequest__Output, scheduler.PauseRunResponse> => setPaused(ctx, 'pause')

export const resumeRun = (
  ctx: AppContext,
): UnaryHandler<scheduler.ResumeRunRequest__Output, scheduler.ResumeRunResponse> => setPaused(ctx, 'resume')

/** Pausing what is paused and resuming what runs change nothing. */
function setPaused(ctx: AppContext, kind: 'pause' | 'resume') {
  return async (request: { runId: string; projectId: string }, call: CallContext) => {
    const runId = requireId(request.runId, 'run_not_found')
    const projectId = readerProject(call, request.projectId)
    const before = await findRun(ctx.pool, runId, projectId)
    if (before) assertOpen(before.status as RunStatus, kind)
    const outcome = await ctx.engine.pauseOrResume(runId, kind)
    if (outcome === 'absent') return { run: null }
    const after = await findRun(ctx.pool, runId, projectId)
    return { run: after ? toProtoRun(after) : null }
  }
}

function assertOpen(status: RunStatus, kind: 'pause' | 'resume'): void {
  if (runHasEnded(status)) throw conflict('run_ended', `the run has already ${status}`)
  if (status === 'cancelling') throw conflict('run_cancelling', `a run that is being cancelled cannot be ${kind}d`)
}
