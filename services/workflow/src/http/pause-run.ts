import { conflict } from '@millrace/errors'
import type { RouteHandler, RouteRequest } from '@millrace/http'
import { withTransaction } from '@millrace/postgres'
import type { AppContext } from '../context.js'
import { findRunRequest, markHold } from '../db/run-requests.js'
import { holdWaiting } from '../db/waiting-requests.js'
import { audit } from './audit.js'
import { detailOf } from './get-run.js'
import { runAbsent, runIdOf } from './path-id.js'

export const pauseRun = (ctx: AppContext): RouteHandler => setHold(ctx, true)

export const resumeRun = (ctx: AppContext): RouteHandler => setHold(ctx, false)

/**
 * A run that waits for its paused workflow is held here; any other is the scheduler's, which keeps the command for one
 * that it does not have yet.
 */
function setHold(ctx: AppContext, hold: boolean): RouteHandler {
  return async (req) => {
    const { projectId } = req.identity
    const runId = runIdOf(req)
    const request = await findRunRequest(ctx.pool, projectId, runId)
    if (request === undefined) throw runAbsent()
    if (!(request.waiting && (await holdHere(ctx, req, runId, hold)))) {
      const command = hold ? ctx.scheduler.pauseRun : ctx.scheduler.resumeRun
      const run = await command(projectId, runId)
      if (run === undefined && request.cancelRequestedAt !== null) {
        throw conflict('run_cancelling', 'The run is being cancelled.')
      }
      await withTransaction(ctx.pool, async (tx) => {
        if (run === undefined) await markHold(tx, runId, hold)
        await audit(tx, req, actionOf(hold), `run:${runId}`)
      })
    }
    ctx.bus.hint()
    return { status: 200, body: await detailOf(ctx, req.identity, runId) }
  }
}

const actionOf = (hold: boolean): string => (hold ? 'run.paused' : 'run.resumed')

function holdHere(ctx: AppContext, req: RouteRequest, runId: string, hold: boolean): Promise<boolean> {
  return withTransaction(ctx.pool, async (tx) => {
    const held = await holdWaiting(tx, runId, hold)
    if (held) await audit(tx, req, actionOf(hold), `run:${runId}`)
    return held
  })
}
