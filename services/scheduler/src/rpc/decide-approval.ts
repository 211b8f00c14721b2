import type { scheduler } from '@millrace/contracts'
import { conflict, notFound, permissionDenied } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import { type Role, roleAllows } from '@millrace/identity'
import type { AppContext } from '../context.js'
import { loadPayloads } from '../db/load-runs.js'
import { findRun, listTasks, type TaskView } from '../db/queries.js'
import { approvalTerms } from '../domain/approval.js'
import { readerProject, requireId } from './caller.js'
import { toProtoRun } from './to-proto.js'

type Handler = UnaryHandler<scheduler.DecideApprovalRequest__Output, scheduler.DecideApprovalResponse>

export function decideApproval(ctx: AppContext): Handler {
  return async (request, call) => {
    const runId = requireId(request.runId, 'run_not_found')
    const projectId = readerProject(call, request.projectId)
    const run = await findRun(ctx.pool, runId, projectId)
    if (!run) throw notFound('run_not_found', 'no such run')
    const filter = { runId, key: request.key, status: '', after: { ordinal: -1, idx: -1 }, limit: 1, outputBytes: 0 }
    const task = (await listTasks(ctx.pool, filter))[0]
    if (task?.uses !== 'approval') throw notFound('task_not_found', 'no such approval')
    if (task.status !== 'waiting') throw conflict('not_waiting', `the approval is ${task.status}`)
    await requireApprover(ctx, task, request.role)
    const { approve, by, comment } = request
    const at = new Date().toISOString()
    await ctx.engine.submit({ runId, command: { kind: 'approval', taskId: task.id, approve, by, comment, at } })
    const after = await findRun(ctx.pool, runId, projectId)
    return { run: after ? toProtoRun(after) : null }
  }
}

async function requireApprover(ctx: AppContext, task: TaskView, role: string): Promise<void> {
  const payload = (await loadPayloads(ctx.pool, [task.id])).get(task.id)
  const needed = approvalTerms(payload?.input ?? 'null').role
  if (!roleAllows(role as Role, needed as 'operator')) {
    throw permissionDenied('approver_role', `this approval needs the role ${needed}`)
  }
}
