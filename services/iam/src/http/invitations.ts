import { conflict, notFound, quotaExceeded, unprocessable } from '@millrace/errors'
import { decodeCursor, encodeCursor, parseLimit, type RouteHandler } from '@millrace/http'
import type { MemberRole } from '@millrace/identity'
import type { Tx } from '@millrace/postgres'
import { v7 } from 'uuid'
import type { IamContext } from '../context.js'
import { useToday } from '../db/daily-usage.js'
import * as invitations from '../db/invitations.js'
import { insertMailJob } from '../db/mail-jobs.js'
import { isMemberAddress } from '../db/members.js'
import { lockProject } from '../db/projects.js'
import { findQuotas } from '../db/quotas.js'
import { secondsToNextDay } from '../domain/day.js'
import { parseEmail } from '../domain/email.js'
import { audit, mutate } from './audited.js'
import { assertStillValid, idParam } from './caller.js'
import { pageOf } from './page.js'
import { projectIdOf } from './project-access.js'

const LIFE_MS = 7 * 86_400_000
/** Bounds the mail that one project can have sent to strangers. */
const MAX_OPEN = 200

const shown = ({ createdAt, expiresAt, ...rest }: invitations.InvitationRow) => ({
  ...rest,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
})

async function assertInvitable(tx: Tx, projectId: string, email: string): Promise<void> {
  if (await isMemberAddress(tx, projectId, email)) throw conflict('already_member', 'This address is a member already.')
  if ((await invitations.countOpenInvitations(tx, projectId)) >= MAX_OPEN) {
    throw unprocessable('too_many_invitations', `A project has at most ${MAX_OPEN} open invitations.`)
  }
}

async function takeMail(tx: Tx, projectId: string): Promise<void> {
  const limit = (await findQuotas(tx, { projectId }))?.quotas.mailsPerDay ?? null
  if (await useToday(tx, { projectId, quota: 'mailsPerDay', amount: 1, limit })) return
  throw quotaExceeded('mailsPerDay', 'The project may send no more mail today.', secondsToNextDay(Date.now()))
}

/** Inviting an address again ends the link it was sent before. The link is only in the mail: whoever opens it has the mailbox. */
export function createInvitation(ctx: IamContext): RouteHandler {
  return async (req) => {
    const { email: given, role } = req.body as { email: string; role: MemberRole }
    const email = parseEmail(given)
    const projectId = await projectIdOf(ctx, req)
    const invitedBy = req.identity.subject
    const reply = await mutate(ctx, async (tx) => {
      await assertStillValid(tx, req.identity)
      await lockProject(tx, projectId)
      await assertInvitable(tx, projectId, email)
      await invitations.revokeInvitationOf(tx, projectId, email)
      const invitation = { id: v7(), projectId, email, role, invitedBy, lifeMs: LIFE_MS }
      const row = await invitations.insertInvitation(tx, invitation)
      if (!row) throw new Error('an inserted invitation was not returned')
      await takeMail(tx, projectId)
      await insertMailJob(tx, { kind: 'invitation', address: email, invitationId: row.id })
      await audit(tx, req, { action: 'invitation.created', target: `invitation:${row.id}`, projectId })
      const created = { status: 201, body: shown(row) }
      await req.settle(tx, created)
      return created
    })
    ctx.mail.wake()
    return reply
  }
}

export function listInvitations(ctx: IamContext): RouteHandler {
  return async (req) => {
    const limit = parseLimit(req.query.limit)
    const cursor = req.query.cursor as string | undefined
    const beforeId = cursor === undefined ? undefined : decodeCursor(cursor, { id: 'uuid' }).id
    const projectId = await projectIdOf(ctx, req)
    const rows = await invitations.listInvitations(ctx.pool, projectId, { beforeId, limit: limit + 1 })
    return { status: 200, body: pageOf(rows, limit, shown, ({ id }) => encodeCursor({ id })) }
  }
}

export function deleteInvitation(ctx: IamContext): RouteHandler {
  return async (req) => {
    const id = idParam(req.params, 'id', 'invitation_not_found', 'invitation')
    const projectId = await projectIdOf(ctx, req)
    await mutate(ctx, async (tx) => {
      if (!(await invitations.revokeInvitation(tx, projectId, id))) {
        throw notFound('invitation_not_found', 'There is no such invitation.')
      }
      await audit(tx, req, { action: 'invitation.revoked', target: `invitation:${id}`, projectId })
    })
    return { status: 204 }
  }
}
