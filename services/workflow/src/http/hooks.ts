import { decodeCursor, encodeCursor, type RouteHandler, type RouteRequest } from '@millrace/http'
import { type Queryable, withTransaction } from '@millrace/postgres'
import { v7 } from 'uuid'
import type { AppContext } from '../context.js'
import { insertHook, revokeHook, listHooks as selectHooks } from '../db/hooks.js'
import { findWorkflow, type WorkflowRow } from '../db/workflows.js'
import { hashOfToken, newHookToken } from '../domain/hook-token.js'
import { audit } from './audit.js'
import { hookAbsent, idOf, workflowAbsent, workflowNameOf } from './path-id.js'

async function workflowOf(db: Queryable, req: RouteRequest): Promise<WorkflowRow> {
  const workflow = await findWorkflow(db, req.identity.projectId, workflowNameOf(req))
  if (workflow === undefined) throw workflowAbsent()
  return workflow
}

export function createHook(ctx: AppContext): RouteHandler {
  return async (req) => {
    const token = newHookToken()
    const reply = await withTransaction(ctx.pool, async (tx) => {
      const { id: workflowId, name } = await workflowOf(tx, req)
      const { projectId, subject: createdBy } = req.identity
      const hook = { id: v7(), projectId, workflowId, createdBy, createdAt: new Date() }
      await insertHook(tx, { ...hook, tokenHash: hashOfToken(token) as Buffer })
      await audit(tx, req, 'hook.created', `hook:${hook.id}`)
      const answer = {
        status: 201,
        body: {
          id: hook.id,
          workflow: name,
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
    const items = rows.slice(0, limit).map((hook) => ({ ...hook, createdAt: hook.createdAt.toISOString() }))
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
