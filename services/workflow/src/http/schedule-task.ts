import { ExpressionError } from '@millrace/definition'
import { unprocessable } from '@millrace/errors'
import type { JsonReply, RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import type { RunRequest } from '../db/run-requests.js'
import { orderOf, settling } from './start-run.js'

interface ScheduleTaskBody {
  type: string
  payload?: Record<string, unknown>
  delaySeconds?: number
  retries?: number
  priority?: number
}

const accepted = (run: RunRequest): JsonReply => ({ status: 202, body: { runId: run.id } })

/** One task by itself: a run of a workflow that nobody had to write. */
export function scheduleTask(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { type, payload = {}, retries, ...options } = req.body as ScheduleTaskBody
    const { projectId, subject } = req.identity
    const { workflow, version } = await ctx.oneOffs.resolve(projectId, type, retries, subject)
    await assertPassable(ctx, projectId, workflow, version, payload)
    const order = orderOf(req, workflow, { ...options, version, input: payload })
    const { run } = await ctx.births.create({ ...order, ...settling(req, accepted) })
    return accepted(run)
  }
}

/** The payload goes through an expression on its way to the task: what cannot pass is refused now, not failed later. */
async function assertPassable(
  ctx: AppContext,
  projectId: string,
  workflow: string,
  version: number,
  payload: unknown,
): Promise<void> {
  const { plan } = await ctx.versions.resolve(projectId, workflow, version)
  try {
    plan.tasks[0]?.with.evaluate({ input: payload, tasks: {}, run: {}, task: {} })
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    throw unprocessable('invalid_request', 'The request is not valid.', [
      { path: '/payload', code: 'not_acceptable', message: error.message },
    ])
  }
}
