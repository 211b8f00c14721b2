import type { scheduler as proto } from '@millrace/contracts'
import type { UnaryHandler } from '@millrace/grpc'
import { createRuns } from '../consumers/workflow-started.js'
import type { AppContext } from '../context.js'

/** The same as their events would do, which come later and find them. */
export function takeRuns(ctx: AppContext): UnaryHandler<proto.TakeRunsRequest__Output, proto.TakeRunsResponse> {
  return async ({ runs }) => {
    await createRuns(
      ctx,
      runs.flatMap(({ started, traceparent }) =>
        started ? [{ data: started, traceparent: traceparent || undefined }] : [],
      ),
    )
    return {}
  }
}
