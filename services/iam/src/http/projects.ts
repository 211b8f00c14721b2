import { conflict, permissionDenied, quotaExceeded } from '@millrace/errors'
import { decodeCursor, encodeCursor, parseLimit, type RouteHandler } from '@millrace/http'
import type { Tx } from '@millrace/postgres'
import { v7 } from 'uuid'
import type { IamContext } from '../context.js'
import { upsertMember } from '../db/members.js'
import {
  countProjectsBy,
  findProject,
  insertProject,
  listAllProjects,
  listProjectsOf,
  type ProjectRow,
} from '../db/projects.js'
import { audit, mutate } from './audited.js'
import { keyIdOf, userIdOf } from './caller.js'
import { pageOf } from './page.js'

async function assertRoom(ctx: IamContext, tx: Tx, userId: string): Promise<void> {
  const { projectsPerUser: most } = ctx.config
  if ((await countProjectsBy(tx, userId)) < most) return
  throw quotaExceeded('projects', `A user has at most ${most} projects of their own (quota projects).`)
}

export function createProject(ctx: IamContext): RouteHandler {
  return async (req) => {
    const userId = userIdOf(req.identity)
    const { slug, name } = req.body as { slug: string; name?: string }
    const project = { id: v7(), slug, name: name ?? slug }
    const reply = { status: 201, body: { ...project, role: 'owner' } }
    await mutate(ctx, async (tx) => {
      await assertRoom(ctx, tx, userId)
      if (!(await insertProject(tx, { ...project, createdBy: userId }))) {
        throw conflict('slug_taken', 'A project with this slug exists.')
      }
      await upsertMember(tx, project.id, userId, 'owner')
      await audit(tx, req, { action: 'project.created', target: `project:${slug}`, projectId: project.id })
      await req.settle(tx, reply)
    })
    ctx.credentials.forgetUser(userId)
    return reply
  }
}

const shown = (row: ProjectRow, role?: string) => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  ...(role === undefined ? {} : { role }),
  createdAt: row.createdAt.toISOString(),
})

export function listProjects(ctx: IamContext): RouteHandler {
  return async ({ identity, query }) => {
    const all = query.all as boolean | undefined
    if (all && !identity.admin)
      throw permissionDenied('admin_required', 'Only a platform administrator may list all projects.')
    if (keyIdOf(identity) !== undefined) {
      const project = await findProject(ctx.pool, identity.projectId)
      return { status: 200, body: { items: project ? [shown(project, identity.role)] : [], nextCursor: null } }
    }
    const limit = parseLimit(query.limit)
    const cursor = query.cursor === undefined ? undefined : decodeCursor(query.cursor as string, { id: 'uuid' })
    const at = { beforeId: cursor?.id, limit: limit + 1 }
    if (all) {
      const rows = await listAllProjects(ctx.pool, { q: query.q as string | undefined, ...at })
      return {
        status: 200,
        body: pageOf(
          rows,
          limit,
          (row) => shown(row),
          ({ id }) => encodeCursor({ id }),
        ),
      }
    }
    const rows = await listProjectsOf(ctx.pool, userIdOf(identity), at)
    return {
      status: 200,
      body: pageOf(
        rows,
        limit,
        (row) => shown(row, row.role),
        ({ id }) => encodeCursor({ id }),
      ),
    }
  }
}
