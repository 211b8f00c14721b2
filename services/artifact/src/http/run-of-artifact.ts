import { setTimeout as delay } from 'node:timers/promises'
import { notFound } from '@millrace/errors'
import type { RouteRequest } from '@millrace/http'
import type { AppContext } from '../context.js'
import { isScheduler } from './scheduler-access.js'

/** A run exists from its 202 on, and reaches the scheduler a moment later. */
const arrivalMs = 3_000
const askEveryMs = 150

export const runNotFound = () => notFound('run_not_found', 'There is no such run.')

/** The workflow of the run that an artifact is made for; 404 when the project has no such run. */
export async function workflowOfRun(
  ctx: AppContext,
  req: RouteRequest,
  runId: string,
  projectId: string,
): Promise<string | undefined> {
  if (isScheduler(req) || req.identity.role === 'worker') return knownWorkflow(ctx, runId, projectId)
  for (const until = Date.now() + arrivalMs; ; await delay(askEveryMs)) {
    const run = await ctx.runs.find(runId, projectId)
    if (run) return run.workflow
    if (Date.now() >= until) throw runNotFound()
  }
}

/** The scheduler's own word, or a lease, has shown that the run is the project's; its workflow is worth no failure. */
async function knownWorkflow(ctx: AppContext, runId: string, projectId: string): Promise<string | undefined> {
  try {
    return (await ctx.runs.find(runId, projectId))?.workflow
  } catch (error) {
    ctx.logger.warn({ err: error }, 'the workflow of a run could not be learnt')
    return undefined
  }
}
