import { randomUUID } from 'node:crypto'
import type { scheduler } from '@millrace/contracts'
import { conflict, unprocessable } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { findRun } from '../db/queries.js'
import { type RunStatus, runHasEnded } from '../domain/run-state.js'
import { readerProject, requireId } from './caller.js'
import { toProtoRun } from './to-proto.js'

type Handler = UnaryHandler<scheduler.SendSignalRequest__Output, scheduler.SendSignalResponse>

export function sendSignal(ctx: AppContext): Handler {
  return async (request, call) => {
    const runId = requireId(request.runId, 'run_not_found')
    const projectId = readerProject(call, request.projectId)
    if (request.name === '') throw unprocessable('invalid_signal', 'a signal has a name')
    const run = await findRun(ctx.pool, runId, projectId)
    if (run && runHasEnded(run.status as RunStatus)) throw conflict('run_ended', `the run has already ${run.status}`)
    const signalId = request.dedupeKey === '' ? randomUUID() : `${runId}:${request.dedupeKey}`
    const outcome = await ctx.engine.signal(runId, {
      signalId,
      name: request.name,
      payload: request.payloadJson || 'null',
    })
    if (outcome === 'absent') return { run: null }
    const after = await findRun(ctx.pool, runId, projectId)
    return { run: after ? toProtoRun(after) : null }
  }
}
