import { conflict, notFound, unprocessable } from '@millrace/errors'
import { decodeCursor, encodeCursor, parseLimit, type RouteHandler, type RouteRequest } from '@millrace/http'
import type { MemberRole } from '@millrace/identity'
import { validate as isUuid } from 'uuid'
import type { IamContext } from '../context.js'
import * as members from '../db/members.js'
import { lockProject } from '../db/projects.js'
import { findUser, findUserByEmail } from '../db/users.js'
import { normaliseEmail } from '../domain/email.js'
import { audit, mutate } from './audited.js'
import { idParam } from './caller.js'
import { pageOf } from './page.js'

// The identity is bound to the project that the path names: `Check` and the http package see to that.

const noSuchMember = () => notFound('member_not_found', 'There is no such member.')
const noSuchUser = () => notFound('user_not_found', 'There is no such user.')
const lastOwner = () => conflict('last_owner', 'A project keeps at least one owner.')

const shown = ({ userId, email, name, role, createdAt }: members.MemberRow) => ({
  userId,
  email,
  name,
  role,
  createdAt: createdAt.toISOString(),
})

export function listMembers(ctx: IamContext): RouteHandler {
  return async ({ identity, query }) => {
    const limit = parseLimit(query.limit)
    const before =
      query.cursor === undefined ? undefined : decodeCursor(query.cursor as string, { at: 'time', id: 'uuid' })
    const rows = await members.listMembers(ctx.pool, identity.projectId, { before, limit: limit + 1 })
    const cursorAt = (row: members.MemberRow) => encodeCursor({ at: row.createdAt.toISOString(), id: row.userId })
    return { status: 200, body: pageOf(rows, limit, shown, cursorAt) }
  }
}

export function getMember(ctx: IamContext): RouteHandler {
  return async ({ identity, params }) => {
    const userId = idParam(params, 'userId', 'member_not_found', 'member')
    const member = await members.findMember(ctx.pool, identity.projectId, userId)
    if (!member) throw noSuchMember()
    return { status: 200, body: shown(member) }
  }
}

async function setRole(ctx: IamContext, req: RouteRequest, userId: string, role: MemberRole) {
  const { projectId } = req.identity
  const member = await mutate(ctx, async (tx) => {
    await lockProject(tx, projectId)
    const before = await members.findMember(tx, projectId, userId)
    if (before?.role === 'owner' && role !== 'owner' && !(await members.otherOwnerExists(tx, projectId, userId))) {
      throw lastOwner()
    }
    await members.upsertMember(tx, projectId, userId, role)
    await audit(tx, req, { action: before ? 'member.updated' : 'member.added', target: `user:${userId}` })
    return members.findMember(tx, projectId, userId)
  })
  ctx.credentials.forgetUser(userId)
  if (!member) throw noSuchMember()
  return { status: 200, body: shown(member) }
}

export function putMember(ctx: IamContext): RouteHandler {
  return async (req) => {
    const { email, userId, role } = req.body as { email?: string; userId?: string; role: MemberRole }
    if ((email === undefined) === (userId === undefined)) {
      throw unprocessable('invalid_request', 'Name the member by email or by userId.', [
        { path: '', code: 'one_of', message: 'must have either email or userId' },
      ])
    }
    const user =
      email !== undefined
        ? await findUserByEmail(ctx.pool, normaliseEmail(email))
        : isUuid(userId)
          ? await findUser(ctx.pool, userId ?? '')
          : undefined
    if (!user) throw noSuchUser()
    return setRole(ctx, req, user.id, role)
  }
}

export function putMemberById(ctx: IamContext): RouteHandler {
  return async (req) => {
    const { role } = req.body as { role: MemberRole }
    const user = await findUser(ctx.pool, idParam(req.params, 'userId', 'user_not_found', 'user'))
    if (!user) throw noSuchUser()
    return setRole(ctx, req, user.id, role)
  }
}

export function deleteMember(ctx: IamContext): RouteHandler {
  return async (req) => {
    const { projectId } = req.identity
    const userId = idParam(req.params, 'userId', 'member_not_found', 'member')
    await mutate(ctx, async (tx) => {
      await lockProject(tx, projectId)
      const member = await members.findMember(tx, projectId, userId)
      if (!member) throw noSuchMember()
      if (member.role === 'owner' && !(await members.otherOwnerExists(tx, projectId, userId))) throw lastOwner()
      await members.deleteMember(tx, projectId, userId)
      await audit(tx, req, { action: 'member.removed', target: `user:${userId}` })
    })
    ctx.credentials.forgetUser(userId)
    return { status: 204 }
  }
}
