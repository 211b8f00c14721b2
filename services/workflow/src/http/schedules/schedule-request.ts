import { type AppError, notFound } from '@millrace/errors'
import type { RouteRequest } from '@millrace/http'
import type { AppContext } from '../../context.js'
import { findWorkflow } from '../../db/workflows.js'
import { checkInput, serialiseInput } from '../../run-order.js'
import { idOf, workflowAbsent } from '../path-id.js'

const scheduleAbsent = (): AppError => notFound('schedule_not_found', 'There is no such schedule.')

/** Which schedule, and who asks: the scheduler writes the audit entry with the change itself. */
export const nameOf = (req: RouteRequest) => ({
  id: idOf(req.params.id, scheduleAbsent),
  projectId: req.identity.projectId,
})

export const requesterOf = ({ identity, ip, requestId }: RouteRequest) => ({ subject: identity.subject, ip, requestId })

/** As a run would be started now. Later versions may ask for more: such a tick fails then, and says so. */
export async function checkStart(
  ctx: AppContext,
  projectId: string,
  workflow: string,
  input: unknown,
): Promise<string> {
  // From the rows, not by the cache's names: one that was archived a moment ago would still be in there.
  const found = await findWorkflow(ctx.pool, projectId, workflow)
  const version = found && (await ctx.versions.byId(found.latestVersionId))
  if (version === undefined) throw workflowAbsent()
  const json = serialiseInput(input)
  await checkInput(version, input, projectId)
  return json
}
