import type { scheduler } from '@millrace/contracts'
import type { UnaryHandler } from '@millrace/grpc'
import { type MemberRole, type Role, roleAllows } from '@millrace/identity'
import type { AppContext } from '../context.js'
import { type ApprovalRow, listApprovals as queryApprovals } from '../db/list-approvals.js'
import type { RunView } from '../db/queries.js'
import { runSummariesById } from '../db/read-changed.js'
import { readerProject } from './caller.js'
import { taskMapper, toProtoRun } from './to-proto.js'

type Handler = UnaryHandler<scheduler.ListApprovalsRequest__Output, scheduler.ListApprovalsResponse>

/** A page may be short though more follow: approvals for other roles are left out after the page was read. */
export function listApprovals(ctx: AppContext): Handler {
  return async (request, call) => {
    const after = request.afterCreatedAt === '' ? null : { createdAt: request.afterCreatedAt, id: request.afterId }
    const limit = Math.min(Math.max(request.limit, 1), 200)
    const rows = await queryApprovals(ctx.pool, { projectId: readerProject(call, request.projectId), after, limit })
    const runs = await runSummariesById(ctx.pool, [...new Set(rows.map((row) => row.run_id))])
    const last = rows.length === limit ? rows.at(-1) : undefined
    const shown = await Promise.all(rows.map((row) => toApproval(ctx, row, runs.get(row.run_id))))
    return {
      approvals: shown.flatMap((approval) => (approval && mayDecide(request.role, approval) ? [approval] : [])),
      nextCreatedAt: last?.run_created_at.toISOString() ?? '',
      nextId: last?.id ?? '',
    }
  }
}

const mayDecide = (role: string, { role: needed }: scheduler.Approval): boolean =>
  roleAllows(role as Role, needed as MemberRole)

async function toApproval(
  ctx: AppContext,
  row: ApprovalRow,
  run: RunView | undefined,
): Promise<scheduler.Approval | undefined> {
  if (run === undefined) return undefined
  const task = taskMapper(run, await ctx.engine.planOf(run.version_id))(row)
  const { role, message } = task.waitingFor ?? {}
  return { run: toProtoRun(run), task, role: role ?? '', message: message ?? '' }
}
