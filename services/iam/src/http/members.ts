import { conflict, notFound, unprocessable } from '@millrace/errors'
import { decodeCursor, encodeCursor, parseLimit, type RouteHandler, type RouteRequest } from '@millrace/http'
import type { Identity, MemberRole } from '@millrace/identity'
import type { Tx } from '@millrace/postgres'
import { validate as isUuid } from 'uuid'
import type { IamContext } from '../context.js'
import * as members from '../db/members.js'
import { lockProject } from '../db/projects.js'
import { findUser, findUserByEmail } from '../db/users.js'
import { normaliseEmail } from '../domain/email.js'
import { audit, mutate } from './audited.js'
import { idParam, keyIdOf, userIdOf } from './caller.js'
import { pageOf } from './page.js'
import { projectIdOf } from './project-access.js'

const noSuchMember = () => notFound('member_not_found', 'There is no such member.')
const lastOwner = () => conflict('last_owner', 'A project keeps at least one owner.')
/** The same whether the address belongs to a user or to nobody. */
const invitationRequired = () =>
  unprocessable('invitation_required', 'This is no member of the project. Send an invitation.')

/** Addresses are for people: a key, which may lie in any script, sees who is a member by id. */
const shownTo =
  (identity: Identity) =>
  ({ userId, email, name, role, createdAt }: members.MemberRow) => ({
    userId,
    ...(keyIdOf(identity) === undefined ? { email, name } : {}),
    role,
    createdAt: createdAt.toISOString(),
  })

export function listMembers(ctx: IamContext): RouteHandler {
  return async (req) => {
    const limit = parseLimit(req.query.limit)
    const cursor = req.query.cursor as string | undefined
    const before = cursor === undefined ? undefined : decodeCursor(cursor, { at: 'time', id: 'uuid' })
    const rows = await members.listMembers(ctx.pool, await projectIdOf(ctx, req), { before, limit: limit + 1 })
    const cursorAt = (row: members.MemberRow) => encodeCursor({ at: row.createdAt.toISOString(), id: row.userId })
    return { status: 200, body: pageOf(rows, limit, shownTo(req.identity), cursorAt) }
  }
}

export function getMember(ctx: IamContext): RouteHandler {
  return async (req) => {
    const userId = idParam(req.params, 'userId', 'member_not_found', 'member')
    const member = await members.findMember(ctx.pool, await projectIdOf(ctx, req), userId)
    if (!member) throw noSuchMember()
    return { status: 200, body: shownTo(req.identity)(member) }
  }
}

async function assertAnotherOwner(tx: Tx, projectId: string, userId: string): Promise<void> {
  if (!(await members.otherOwnerExists(tx, projectId, userId))) throw lastOwner()
}

/** Nobody becomes a member here but by the platform's administrator: others accept an invitation. */
async function setRole(ctx: IamContext, req: RouteRequest, userId: string, role: MemberRole, absent: () => Error) {
  const projectId = await projectIdOf(ctx, req)
  const member = await mutate(ctx, async (tx) => {
    await lockProject(tx, projectId)
    const before = await members.findMember(tx, projectId, userId)
    if (!before && !(req.identity.admin && (await findUser(tx, userId)))) throw absent()
    if (before?.role === 'owner' && role !== 'owner') await assertAnotherOwner(tx, projectId, userId)
    await members.upsertMember(tx, projectId, userId, role)
    await audit(tx, req, { action: before ? 'member.updated' : 'member.added', target: `user:${userId}`, projectId })
    return members.findMember(tx, projectId, userId)
  })
  ctx.credentials.forgetUser(userId)
  if (!member) throw noSuchMember()
  return { status: 200, body: shownTo(req.identity)(member) }
}

export function putMember(ctx: IamContext): RouteHandler {
  return async (req) => {
    const { email, userId, role } = req.body as { email?: string; userId?: string; role: MemberRole }
    if ((email === undefined) === (userId === undefined)) {
      throw unprocessable('invalid_request', 'Name the member by email or by userId.', [
        { path: '', code: 'one_of', message: 'must have either email or userId' },
      ])
    }
    const id = email === undefined ? userId : (await findUserByEmail(ctx.pool, normaliseEmail(email)))?.id
    if (id === undefined || !isUuid(id)) throw invitationRequired()
    return setRole(ctx, req, id, role, invitationRequired)
  }
}

export function putMemberById(ctx: IamContext): RouteHandler {
  return async (req) => {
    const { role } = req.body as { role: MemberRole }
    return setRole(ctx, req, idParam(req.params, 'userId', 'member_not_found', 'member'), role, noSuchMember)
  }
}

async function removeMember(ctx: IamContext, req: RouteRequest, userId: string, action: string): Promise<void> {
  const projectId = await projectIdOf(ctx, req)
  await mutate(ctx, async (tx) => {
    await lockProject(tx, projectId)
    const member = await members.findMember(tx, projectId, userId)
    if (!member) throw noSuchMember()
    if (member.role === 'owner') await assertAnotherOwner(tx, projectId, userId)
    await members.deleteMember(tx, projectId, userId)
    await audit(tx, req, { action, target: `user:${userId}`, projectId })
  })
  ctx.credentials.forgetUser(userId)
}

export function deleteMember(ctx: IamContext): RouteHandler {
  return async (req) => {
    await removeMember(ctx, req, idParam(req.params, 'userId', 'member_not_found', 'member'), 'member.removed')
    return { status: 204 }
  }
}

export function leaveProject(ctx: IamContext): RouteHandler {
  return async (req) => {
    await removeMember(ctx, req, userIdOf(req.identity), 'member.left')
    return { status: 204 }
  }
}

/** In one step, so that the project never has two owners who did not mean to share it, and never none. */
export function transferProject(ctx: IamContext): RouteHandler {
  return async (req) => {
    const from = userIdOf(req.identity)
    const { userId: to } = req.body as { userId: string }
    const projectId = await projectIdOf(ctx, req)
    await mutate(ctx, async (tx) => {
      await lockProject(tx, projectId)
      if (!isUuid(to) || !(await members.findMember(tx, projectId, to))) throw noSuchMember()
      await members.upsertMember(tx, projectId, to, 'owner')
      const own = to === from ? undefined : await members.findMember(tx, projectId, from)
      if (own?.role === 'owner') await members.upsertMember(tx, projectId, from, 'editor')
      await audit(tx, req, { action: 'project.transferred', target: `user:${to}`, projectId })
    })
    for (const userId of [from, to]) ctx.credentials.forgetUser(userId)
    return { status: 204 }
  }
}
