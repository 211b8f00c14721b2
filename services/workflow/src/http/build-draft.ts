import { limits } from '@millrace/definition'
import { conflict, notFound, unprocessable } from '@millrace/errors'
import type { JsonReply, RouteHandler, RouteRequest } from '@millrace/http'
import { type Tx, withTransaction } from '@millrace/postgres'
import { v7 } from 'uuid'
import type { AppContext } from '../context.js'
import {
  type DraftRow,
  insertDraft,
  insertDraftDependency,
  insertDraftTask,
  listDraftDependencies,
  listDraftKeys,
  lockDraft,
} from '../db/drafts.js'
import { assertRoomForDraft } from '../db/workflow-quota.js'
import { findWorkflow } from '../db/workflows.js'
import { pathBetween, taskKeyOf } from '../domain/draft-definition.js'
import { audit } from './audit.js'
import { idOf, workflowAbsent } from './path-id.js'

export const workflowExists = (name: string) => conflict('workflow_exists', `There is a workflow ${name} already.`)

const taskAbsent = () => notFound('task_not_found', 'There is no such task in this workflow.')

/** In one transaction with what it answers for an Idempotency-Key. */
async function building(ctx: AppContext, req: RouteRequest, work: (tx: Tx) => Promise<object>): Promise<JsonReply> {
  const reply = await withTransaction(ctx.pool, async (tx) => {
    const answer = { status: 201, body: await work(tx) }
    await req.settle(tx, answer)
    return answer
  })
  ctx.bus.hint()
  return reply
}

async function draftOf(tx: Tx, req: RouteRequest, id: string): Promise<DraftRow> {
  const draft = await lockDraft(tx, req.identity.projectId, idOf(id, workflowAbsent))
  if (draft === undefined) throw workflowAbsent()
  return draft
}

export function createDraft(ctx: AppContext): RouteHandler {
  return (req) =>
    building(ctx, req, async (tx) => {
      const { name } = req.body as { name: string }
      const { projectId, subject: createdBy } = req.identity
      if ((await findWorkflow(tx, projectId, name)) !== undefined) throw workflowExists(name)
      const draft = { id: v7(), projectId, name, createdBy, createdAt: new Date() }
      await assertRoomForDraft(tx, projectId, (await ctx.quotas(projectId)).workflows)
      await insertDraft(tx, draft)
      await audit(tx, req, 'draft.created', `draft:${draft.id}`)
      return { id: draft.id, name, createdAt: draft.createdAt.toISOString() }
    })
}

interface TaskBody {
  workflowId: string
  name: string
  uses?: string
  with?: Record<string, unknown>
}

export function addDraftTask(ctx: AppContext): RouteHandler {
  return (req) =>
    building(ctx, req, async (tx) => {
      const body = req.body as TaskBody
      const draft = await draftOf(tx, req, body.workflowId)
      const others = await listDraftKeys(tx, draft.id)
      if (others.length >= limits.tasks) {
        throw unprocessable('too_many_tasks', `A workflow has at most ${limits.tasks} tasks.`)
      }
      const key = taskKeyOf(body.name)
      if (others.some((other) => other.key === key)) throw conflict('task_exists', `There is a task ${key} already.`)
      const task = { id: v7(), key, name: body.name, uses: body.uses ?? 'noop' }
      const withJson = body.with === undefined ? null : JSON.stringify(body.with)
      await insertDraftTask(tx, { ...task, draftId: draft.id, position: others.length, withJson })
      await audit(tx, req, 'draft.task_added', `draft:${draft.id}`)
      return { ...task, workflowId: draft.id }
    })
}

interface DependencyBody {
  workflowId: string
  taskId: string
  dependsOnTaskId: string
}

export function addDraftDependency(ctx: AppContext): RouteHandler {
  return (req) =>
    building(ctx, req, async (tx) => {
      const body = req.body as DependencyBody
      const draft = await draftOf(tx, req, body.workflowId)
      const taskId = idOf(body.taskId, taskAbsent)
      const dependsOnTaskId = idOf(body.dependsOnTaskId, taskAbsent)
      const keys = new Map((await listDraftKeys(tx, draft.id)).map((task) => [task.id, task.key]))
      if (!keys.has(taskId) || !keys.has(dependsOnTaskId)) throw taskAbsent()
      const edges = await listDraftDependencies(tx, draft.id)
      const known = edges.find((edge) => edge.taskId === taskId && edge.dependsOnTaskId === dependsOnTaskId)
      if (known !== undefined) return { ...known, workflowId: draft.id }
      const cycle = pathBetween(edges, dependsOnTaskId, taskId)
      if (cycle !== undefined) throw closesCycle(cycle.map((id) => keys.get(id) ?? ''))
      const edge = { id: v7(), taskId, dependsOnTaskId }
      await insertDraftDependency(tx, { ...edge, draftId: draft.id })
      await audit(tx, req, 'draft.dependency_added', `draft:${draft.id}`)
      return { ...edge, workflowId: draft.id }
    })
}

function closesCycle(keys: readonly string[]) {
  const message = `these tasks would wait for each other: ${[...keys, keys[0]].join(' → ')}`
  return unprocessable('invalid_definition', 'The dependency closes a cycle.', [
    { path: '/dependsOnTaskId', code: 'cycle', message },
  ])
}
