import type { scheduler } from '@millrace/contracts'
import { conflict, notFound } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { closeDeadLettersOfRun } from '../db/dead-letters.js'
import { findRun } from '../db/queries.js'
import { readerProject, requireId } from './caller.js'
import { toProtoRun } from './to-proto.js'

export function retryRun(ctx: AppContext): UnaryHandler<scheduler.RetryRunRequest__Output, scheduler.RetryRunResponse> {
  return async (request, call) => {
    const runId = requireId(request.runId, 'run_not_found')
    const projectId = readerProject(call, request.projectId)
    const before = await findRun(ctx.pool, runId, projectId)
    if (!before) throw notFound('run_not_found', 'no such run')
    if (before.status !== 'failed' && before.status !== 'cancelled') {
      throw conflict(
        'run_not_failed',
        `only a run that failed or was cancelled can be retried; this one is ${before.status}`,
      )
    }
    await ctx.engine.submit({ runId, command: { kind: 'retry' } })
    await closeDeadLettersOfRun(ctx.pool, runId)
    const after = await findRun(ctx.pool, runId, projectId)
    return { run: after ? toProtoRun(after) : null }
  }
}
