import type { scheduler } from '@millrace/contracts'
import type { UnaryHandler } from '@millrace/grpc'
import { withTransaction } from '@millrace/postgres'
import type { AppContext } from '../context.js'
import { deleteRunsById } from '../db/retention/delete-runs.js'
import { readerProject, requireId } from './caller.js'

/** Their tasks are removed by the loop of retention, soon after. */
export function deleteRuns(
  ctx: AppContext,
): UnaryHandler<scheduler.DeleteRunsRequest__Output, scheduler.DeleteRunsResponse> {
  return async (request, call) => {
    const projectId = readerProject(call, request.projectId)
    const ids = request.runIds.map((id) => requireId(id, 'run_not_found'))
    const deleted = await withTransaction(ctx.pool, (tx) => deleteRunsById(tx, projectId, ids))
    if (deleted.length > 0) ctx.bus.hint()
    return { deletedIds: deleted.map(({ id }) => id) }
  }
}
