import { createSecretBox } from '@millrace/config'
import { unprocessable } from '@millrace/errors'
import { decodeCursor, encodeCursor, type RouteHandler, type RouteRequest } from '@millrace/http'
import { type Queryable, withTransaction } from '@millrace/postgres'
import { v7 } from 'uuid'
import type { AppContext } from '../context.js'
import { type HookVerification, insertHook, revokeHook, listHooks as selectHooks } from '../db/hooks.js'
import { findWorkflow, type WorkflowRow } from '../db/workflows.js'
import { hashOfToken, newHookToken } from '../domain/hook-token.js'
import type { HookScheme } from '../domain/verify-hook.js'
import { audit } from './audit.js'
import { checkHookInput } from './hook-input.js'
import { hookAbsent, idOf, workflowAbsent, workflowNameOf } from './path-id.js'

async function workflowOf(db: Queryable, req: RouteRequest): Promise<WorkflowRow> {
  const workflow = await findWorkflow(db, req.identity.projectId, workflowNameOf(req))
  if (workflow === undefined) throw workflowAbsent()
  return workflow
}

interface HookBody {
  verify?: { type: HookScheme; secret: string; header?: string }
  input?: string
}

/** Standard Webhooks' secrets are keys in base64; any other text would make a key that nobody means. */
function checkSecret({ type, secret }: NonNullable<HookBody['verify']>): void {
  const key = secret.replace(/^whsec_/, '')
  const bytes = Buffer.from(key, 'base64')
  if (type !== 'standard-webhooks' || (bytes.length >= 16 && /^[A-Za-z0-9+/]+={0,2}$/.test(key))) return
  const message = 'must be whsec_ and at least 16 bytes in base64'
  throw unprocessable('invalid_request', 'The secret does not fit the scheme.', [
    { path: '/verify/secret', code: 'format', message },
  ])
}

function sealed(ctx: AppContext, hookId: string, verify: HookBody['verify']): HookVerification | null {
  if (verify === undefined) return null
  const secret = createSecretBox(ctx.config.hookKey, ctx.config.previousHookKey).seal(verify.secret, hookId)
  return { type: verify.type, header: verify.header?.toLowerCase() ?? null, secret }
}

const verifyView = (type: HookScheme | null, header: string | null) =>
  type === null ? null : { type, ...(header === null ? {} : { header }) }

export function createHook(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { verify, input } = (req.body ?? {}) as HookBody
    if (verify !== undefined) checkSecret(verify)
    if (input !== undefined) await checkHookInput(input, req.identity.projectId)
    const token = newHookToken()
    const reply = await withTransaction(ctx.pool, async (tx) => {
      const { id: workflowId, name } = await workflowOf(tx, req)
      const { projectId, subject: createdBy } = req.identity
      const id = v7()
      const hook = { id, projectId, workflowId, createdBy, createdAt: new Date(), input: input ?? null }
      const verification = sealed(ctx, id, verify)
      await insertHook(tx, { ...hook, tokenHash: hashOfToken(token) as Buffer, verify: verification })
      await audit(tx, req, 'hook.created', `hook:${hook.id}`)
      const answer = {
        status: 201,
        body: {
          id: hook.id,
          workflow: name,
          verify: verifyView(verify?.type ?? null, verification?.header ?? null),
          input: hook.input,
          url: `/api/v1/hooks/${token}`,
          token,
          createdAt: hook.createdAt.toISOString(),
        },
        once: ['token', 'url'],
      }
      await req.settle(tx, answer)
      return answer
    })
    ctx.bus.hint()
    return reply
  }
}

export function listHooks(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { limit, cursor } = req.query as { limit: number; cursor?: string }
    const { id: workflowId } = await workflowOf(ctx.pool, req)
    const before = cursor === undefined ? undefined : decodeCursor(cursor, { createdAt: 'time', id: 'uuid' })
    const rows = await selectHooks(ctx.pool, workflowId, before, limit + 1)
    const items = rows.slice(0, limit).map(({ verifyType, verifyHeader, ...hook }) => ({
      ...hook,
      verify: verifyView(verifyType, verifyHeader),
      createdAt: hook.createdAt.toISOString(),
    }))
    const last = rows.length > limit ? items.at(-1) : undefined
    const nextCursor = last ? encodeCursor({ createdAt: last.createdAt, id: last.id }) : null
    return { status: 200, body: { items, nextCursor } }
  }
}

export function deleteHook(ctx: AppContext): RouteHandler {
  return async (req) => {
    await withTransaction(ctx.pool, async (tx) => {
      const workflow = await workflowOf(tx, req)
      const id = idOf(req.params.id, hookAbsent)
      if (!(await revokeHook(tx, workflow.id, id))) throw hookAbsent()
      await audit(tx, req, 'hook.deleted', `hook:${id}`)
    })
    ctx.bus.hint()
    return { status: 204 }
  }
}
