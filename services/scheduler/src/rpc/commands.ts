import type { scheduler } from '@millrace/contracts'
import type { StreamHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'

export function commands(
  ctx: AppContext,
): StreamHandler<scheduler.CommandsRequest__Output, scheduler.CommandsResponse> {
  return async function* (request, call) {
    const session = await ctx.engine.sessions.authenticate(request.session)
    const ending = AbortSignal.any([call.signal, call.draining])
    for await (const { taskId, leaseId, reason } of ctx.engine.commands.listen(session.id, ending)) {
      yield { cancel: { taskId, leaseId, reason } }
    }
  }
}
