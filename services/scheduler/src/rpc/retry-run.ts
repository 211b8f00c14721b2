import type { scheduler } from '@millrace/contracts'
import { conflict, notFound } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { countCompensations } from '../db/compensation.js'
import { closeDeadLettersOfRun } from '../db/dead-letters.js'
import { findRun } from '../db/queries.js'
import { readerProject, requireId } from './caller.js'
import { toProtoRun } from './to-proto.js'

export const runCompensated = () =>
  conflict('run_compensated', 'what the run did has been undone, so its tasks cannot go on from it; rerun it')

export function retryRun(ctx: AppContext): UnaryHandler<scheduler.RetryRunRequest__Output, scheduler.RetryRunResponse> {
  return async (request, call) => {
    const runId = requireId(request.runId, 'run_not_found')
    const projectId = readerProject(call, request.projectId)
    const before = await findRun(ctx.pool, runId, projectId)
    if (!before) throw notFound('run_not_found', 'no such run')
    const { generation } = request
    if (generation > 0 && generation !== before.generation) {
      throw conflict('run_retried', 'the run has been retried since')
    }
    if (before.status !== 'failed' && before.status !== 'cancelled') {
      throw conflict(
        'run_not_failed',
        `only a run that failed or was cancelled can be retried; this one is ${before.status}`,
      )
    }
    const { begun, failed } = await countCompensations(ctx.pool, runId)
    if (begun > 0 && failed === 0) throw runCompensated()
    await ctx.engine.submit({ runId, command: { kind: 'retry', ...(generation > 0 ? { generation } : {}) } })
    await closeDeadLettersOfRun(ctx.pool, runId, { compensationsOnly: begun > 0 })
    const after = await findRun(ctx.pool, runId, projectId)
    return { run: after ? toProtoRun(after) : null }
  }
}
