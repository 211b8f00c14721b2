import { notFound } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import { validate as isUuid } from 'uuid'
import type { AppContext } from '../context.js'
import { readLogRequest } from './log-request.js'
import { streamFollowed, streamPlain } from './stream-logs.js'

export function getRunLogs(ctx: AppContext): RouteHandler {
  return async (req) => {
    const asked = readLogRequest(req)
    const { projectId } = req.identity
    const runId = (req.params.id ?? '').toLowerCase()
    const run = isUuid(runId) ? await ctx.runs.findSoon(projectId, runId, req.signal) : undefined
    if (run === undefined) throw notFound('run_not_found', 'There is no such run.')
    const scope = { projectId, runId, ...asked.filter }
    if (!asked.follow) return await streamPlain(ctx, req, asked, scope)
    // A run that neither the store nor the scheduler knows any more has nothing left to say.
    const finishedAt = async () => {
      const known = await ctx.runs.find(projectId, runId)
      return known === undefined ? 0 : known.finishedAt
    }
    return await streamFollowed(ctx, req, asked, scope, finishedAt)
  }
}
