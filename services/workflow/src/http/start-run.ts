import type { JsonReply, RouteHandler, RouteRequest } from '@millrace/http'
import type { AppContext } from '../context.js'
import type { RunOrder } from '../create-runs.js'
import type { RunRequest } from '../db/run-requests.js'
import { type StartOptions, startTimeOf } from '../domain/start-options.js'
import { workflowNameOf } from './path-id.js'
import { runOf, runView } from './views.js'

export interface StartRunBody extends StartOptions {
  input?: unknown
  version?: number
  priority?: number
  labels?: Record<string, string>
}

export const acceptedRun = (run: RunRequest): JsonReply => ({ status: 202, body: runView(runOf(run)) })

export function startRun(ctx: AppContext): RouteHandler {
  return async (req) => {
    const order = orderOf(req, workflowNameOf(req), (req.body ?? {}) as StartRunBody)
    const { run } = await ctx.runCreator.create({ ...order, ...settling(req, acceptedRun) })
    return acceptedRun(run)
  }
}

export function orderOf(req: RouteRequest, workflow: string, body: StartRunBody): RunOrder {
  return {
    projectId: req.identity.projectId,
    workflow,
    version: body.version ?? 0,
    input: body.input ?? {},
    priority: body.priority ?? 5,
    labels: body.labels ?? {},
    hold: body.hold ?? false,
    startAt: startTimeOf(body, new Date()),
    requestedBy: req.identity.subject,
    ip: req.ip,
    requestId: req.requestId,
  }
}

/** With an Idempotency-Key the answer is kept in the run's own transaction; without one, runs share theirs. */
export function settling(req: RouteRequest, reply: (run: RunRequest) => JsonReply): Pick<RunOrder, 'settle'> {
  return req.idempotencyKey === undefined ? {} : { settle: (tx, run) => req.settle(tx, reply(run)) }
}
