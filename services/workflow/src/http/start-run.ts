import type { JsonReply, RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import type { RunRequest } from '../db/run-requests.js'
import { workflowNameOf } from './path-id.js'
import { requestView } from './views.js'

interface StartRunBody {
  input?: unknown
  version?: number
  priority?: number
  labels?: Record<string, string>
}

const accepted = (run: RunRequest): JsonReply => ({ status: 202, body: requestView(run) })

export function startRun(ctx: AppContext): RouteHandler {
  return async (req) => {
    const body = (req.body ?? {}) as StartRunBody
    const { run } = await ctx.births.create({
      projectId: req.identity.projectId,
      workflow: workflowNameOf(req),
      version: body.version ?? 0,
      input: body.input ?? {},
      priority: body.priority ?? 5,
      labels: body.labels ?? {},
      requestedBy: req.identity.subject,
      ip: req.ip,
      requestId: req.requestId,
      ...(req.idempotencyKey === undefined ? {} : { settle: (tx, made) => req.settle(tx, accepted(made)) }),
    })
    return accepted(run)
  }
}
