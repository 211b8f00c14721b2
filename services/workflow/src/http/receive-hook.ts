import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { conflict, rateLimited, unprocessable } from '@millrace/errors'
import type { RouteHandler, RouteRequest } from '@millrace/http'
import type { AppContext } from '../context.js'
import { findLiveHook, type LiveHook } from '../db/hooks.js'
import { type RunRequest, statusOfRequest } from '../db/run-requests.js'
import { hashOfToken } from '../domain/hook-token.js'
import { hookAbsent } from './path-id.js'

/**
 * The token is the only proof, so nothing is written for a caller without a good one: an Idempotency-Key becomes the
 * run's dedupe key here, not a row of its own.
 */
export function receiveHook(ctx: AppContext): RouteHandler {
  return async (req) => {
    const hash = hashOfToken(req.params.token ?? '')
    const hook = hash === undefined ? undefined : await findLiveHook(ctx.pool, hash)
    if (hook === undefined) throw hookAbsent()
    const waitSeconds = ctx.hookLimits.take(hook.id, Date.now())
    if (waitSeconds > 0) throw rateLimited('hook_rate_limited', 'This hook is called too often.', waitSeconds)
    const input = req.body ?? {}
    const dedupeKey = dedupeKeyOf(req, hook)
    const { run, existing } = await ctx.births.create({
      projectId: hook.projectId,
      workflow: hook.workflow,
      version: 0,
      input,
      priority: 5,
      labels: {},
      ...(dedupeKey === undefined ? {} : { dedupeKey }),
      requestedBy: `hook:${hook.id}`,
      ip: req.ip,
      requestId: req.requestId,
    })
    if (existing && !isDeepStrictEqual(run.input, input)) {
      throw conflict('idempotency_conflict', 'This Idempotency-Key was used with another request.')
    }
    return { status: 202, body: viewOf(run), headers: existing ? { 'idempotency-replayed': 'true' } : {} }
  }
}

function dedupeKeyOf(req: RouteRequest, hook: LiveHook): string | undefined {
  const key = req.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw unprocessable('invalid_idempotency_key', 'Idempotency-Key must be 1 to 255 visible ASCII characters.')
  }
  return `hook:${hook.id}:${createHash('sha256').update(key).digest('base64url')}`
}

/** Whoever holds a hook may start runs, not read them. */
const viewOf = (run: RunRequest) => ({
  id: run.id,
  workflow: run.workflow,
  version: run.version,
  status: statusOfRequest(run),
  createdAt: run.createdAt.toISOString(),
})
