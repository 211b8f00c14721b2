import type { scheduler } from '@millrace/contracts'
import { notFound } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { workerOf } from './caller.js'

export function heartbeat(
  ctx: AppContext,
): UnaryHandler<scheduler.HeartbeatRequest__Output, scheduler.HeartbeatResponse> {
  return async (request, call) => {
    const session = await ctx.engine.sessions.authenticate(request.session, workerOf(call))
    const named = new Set(request.held.map((held) => held.leaseId))
    const lostLeaseIds = await ctx.engine.heartbeat(session.id, named, request.requestedState)
    if (lostLeaseIds === null) throw notFound('session_ended', 'the session has ended: register again')
    await ctx.progress.record(session.id, request.held)
    await ctx.circuits.record(session.id, request.circuits)
    return { lostLeaseIds, leaseMs: ctx.config.leaseMs }
  }
}
