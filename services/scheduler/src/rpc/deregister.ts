import type { scheduler } from '@millrace/contracts'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'

export function deregister(
  ctx: AppContext,
): UnaryHandler<scheduler.DeregisterRequest__Output, scheduler.DeregisterResponse> {
  return async (request) => {
    const session = await ctx.engine.sessions.authenticate(request.session)
    await ctx.engine.endSession(session.id)
    return {}
  }
}
