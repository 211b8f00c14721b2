import type { scheduler } from '@millrace/contracts'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { holdsLeaseInRun } from '../db/sessions.js'
import { requireId } from './caller.js'

export function holdsLease(
  ctx: AppContext,
): UnaryHandler<scheduler.HoldsLeaseRequest__Output, scheduler.HoldsLeaseResponse> {
  return async (request) => {
    const sessionId = requireId(request.sessionId, 'task_not_found')
    const runId = requireId(request.runId, 'run_not_found')
    const projectId = await holdsLeaseInRun(ctx.pool, sessionId, runId, request.subject)
    return { holds: projectId !== undefined, projectId: projectId ?? '' }
  }
}
