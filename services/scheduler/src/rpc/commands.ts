import type { scheduler } from '@millrace/contracts'
import type { StreamHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import type { WorkerCommand } from '../engine/command-streams.js'
import { workerOf } from './caller.js'

export function commands(
  ctx: AppContext,
): StreamHandler<scheduler.CommandsRequest__Output, scheduler.CommandsResponse> {
  return async function* (request, call) {
    const session = await ctx.engine.sessions.authenticate(request.session, workerOf(call))
    const ending = AbortSignal.any([call.signal, call.draining])
    for await (const command of ctx.engine.control.listen(session.id, ending)) yield toProto(command)
  }
}

function toProto(command: WorkerCommand): scheduler.CommandsResponse {
  if (command.kind !== 'cancel') return { [command.kind]: true }
  const { taskId, leaseId, reason } = command
  return { cancel: { taskId, leaseId, reason } }
}
