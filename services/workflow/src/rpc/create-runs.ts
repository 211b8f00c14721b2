import type { workflow as proto } from '@millrace/contracts'
import { unprocessable } from '@millrace/errors'
import { type CallContext, classify, type UnaryHandler } from '@millrace/grpc'
import { withTraceparent } from '@millrace/telemetry'
import type { AppContext } from '../context.js'
import { createOne } from './create-run.js'

const maxRuns = 1000

/** Those that come together share a lookup and a commit, as calls that come at once do. */
export function createRuns(ctx: AppContext): UnaryHandler<proto.CreateRunsRequest__Output, proto.CreateRunsResponse> {
  return async ({ runs }, call) => {
    if (runs.length > maxRuns) throw unprocessable('invalid_request', `runs must be at most ${maxRuns}.`)
    return { outcomes: await Promise.all(runs.map((run) => outcomeOf(ctx, run, call))) }
  }
}

async function outcomeOf(
  ctx: AppContext,
  request: proto.CreateRunRequest__Output,
  call: CallContext,
): Promise<proto.CreateRunOutcome> {
  try {
    const run = await withTraceparent(undefined, 'workflow.create-run', {}, () => createOne(ctx, request, call))
    return { run }
  } catch (cause) {
    const error = classify(cause)
    if (error.code === 'internal') ctx.logger.error({ err: error.cause ?? error }, 'a run of many was not created')
    return { refusal: { code: error.code, reason: error.reason, message: error.message } }
  }
}
