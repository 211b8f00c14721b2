import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { createSecretBox } from '@millrace/config'
import { conflict, rateLimited, unauthenticated, unprocessable } from '@millrace/errors'
import type { RouteHandler, RouteRequest } from '@millrace/http'
import type { AppContext } from '../context.js'
import { findLiveHook, type LiveHook } from '../db/hooks.js'
import { type RunRequest, statusOfRequest } from '../db/run-requests.js'
import { hashOfToken } from '../domain/hook-token.js'
import { verifyHook } from '../domain/verify-hook.js'
import { evaluateHookInput } from './hook-input.js'
import { hookAbsent } from './path-id.js'

/**
 * The token is the only proof that every hook asks for, so nothing is written for a caller without a good one: an Idempotency-Key becomes the
 * run's dedupe key here, not a row of its own.
 */
export function receiveHook(ctx: AppContext): RouteHandler {
  return async (req) => {
    const hash = hashOfToken(req.params.token ?? '')
    const hook = hash === undefined ? undefined : await findLiveHook(ctx.pool, hash)
    if (hook === undefined) throw hookAbsent()
    const waitSeconds = ctx.hookLimits.take(hook.id, Date.now())
    if (waitSeconds > 0) throw rateLimited('hook_rate_limited', 'This hook is called too often.', waitSeconds)
    const deliveryId = verify(ctx, hook, req)
    const input = hook.input === null ? (req.body ?? {}) : await evaluateHookInput(hook.input, hook.projectId, req)
    const dedupeKey = dedupeKeyOf(hook, deliveryId ?? keyOf(req))
    const { run, existing } = await ctx.runCreator.create({
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
    // A delivery that its sender repeats is the same one, whatever else the sender says along with it.
    if (existing && deliveryId === undefined && !isDeepStrictEqual(JSON.parse(run.inputJson), input)) {
      throw conflict('idempotency_conflict', 'This Idempotency-Key was used with another request.')
    }
    return { status: 202, body: viewOf(run), headers: existing ? { 'idempotency-replayed': 'true' } : {} }
  }
}

const badSignature = () => unauthenticated('invalid_signature', 'The signature is missing, wrong or too old.')

/** The id by which the sender knows this delivery, if its scheme has one. */
function verify(ctx: AppContext, hook: LiveHook, req: RouteRequest): string | undefined {
  const { id, verifyType, verifySecret, verifyHeader } = hook
  if (verifyType === null || verifySecret === null) return undefined
  const secret = createSecretBox(ctx.config.hookKey, ctx.config.previousHookKey).open(verifySecret, id)
  // The bytes as they came: what was parsed and written again has another signature.
  const body = Buffer.isBuffer(req.raw.req.body) ? req.raw.req.body : Buffer.alloc(0)
  const call = { headers: req.headers, body, now: new Date() }
  const verified = verifyHook(verifyType, call, secret, verifyHeader ?? undefined)
  if (verified === undefined) throw badSignature()
  return verified.deliveryId
}

function keyOf(req: RouteRequest): string | undefined {
  const key = req.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw unprocessable('invalid_idempotency_key', 'Idempotency-Key must be 1 to 255 visible ASCII characters.')
  }
  return key
}

const dedupeKeyOf = (hook: LiveHook, key: string | undefined): string | undefined =>
  key === undefined ? undefined : `hook:${hook.id}:${createHash('sha256').update(key).digest('base64url')}`

/** Whoever holds a hook may start runs, not read them. */
const viewOf = (run: RunRequest) => ({
  id: run.id,
  workflow: run.workflow,
  version: run.version,
  status: statusOfRequest(run),
  createdAt: run.createdAt.toISOString(),
})
