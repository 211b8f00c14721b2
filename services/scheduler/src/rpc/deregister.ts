import type { scheduler } from '@millrace/contracts'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { workerOf } from './caller.js'

export function deregister(
  ctx: AppContext,
): UnaryHandler<scheduler.DeregisterRequest__Output, scheduler.DeregisterResponse> {
  return async (request, call) => {
    const session = await ctx.engine.sessions.authenticate(request.session, workerOf(call))
    await ctx.engine.endSession(session.id)
    return {}
  }
}
