import type { scheduler } from '@millrace/contracts'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { findOutputUsers as query } from '../db/retention/output-users.js'
import { requireId } from './caller.js'

/** For services alone: of any project. */
export function findOutputUsers(
  ctx: AppContext,
): UnaryHandler<scheduler.FindOutputUsersRequest__Output, scheduler.FindOutputUsersResponse> {
  return async ({ artifactIds }) => {
    const ids = artifactIds.map((id) => requireId(id, 'task_not_found'))
    return { runIds: Object.fromEntries(await query(ctx.pool, ids)) }
  }
}
