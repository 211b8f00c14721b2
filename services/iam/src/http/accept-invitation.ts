import { permissionDenied } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import type { IamContext } from '../context.js'
import { lockInvitationByToken, markAccepted } from '../db/invitations.js'
import { findMember, upsertMember } from '../db/members.js'
import { lockProject } from '../db/projects.js'
import { findUser, markEmailVerified } from '../db/users.js'
import { invalidToken } from '../domain/invalid-token.js'
import { hashOf, isOneTimeToken } from '../security/secret-text.js'
import { audit, mutate } from './audited.js'
import { userIdOf } from './caller.js'

/**
 * The address invited is the only one that may accept: a link that was passed on, or read in somebody's mailbox, makes
 * no other account a member. A role that the person has in the project already is left as it is.
 */
export function acceptInvitation(ctx: IamContext): RouteHandler {
  return async (req) => {
    const userId = userIdOf(req.identity)
    const token = req.params.token ?? ''
    if (!isOneTimeToken(token)) throw invalidToken()
    const body = await mutate(ctx, async (tx) => {
      const invitation = await lockInvitationByToken(tx, hashOf(token))
      if (!invitation) throw invalidToken()
      const { id, projectId, slug, projectName: name } = invitation
      const user = await findUser(tx, userId)
      if (user?.email !== invitation.email) {
        throw permissionDenied(
          'invitation_for_another',
          'This invitation is for another address. Sign in with that one.',
        )
      }
      await lockProject(tx, projectId)
      const role = (await findMember(tx, projectId, userId))?.role ?? invitation.role
      await upsertMember(tx, projectId, userId, role)
      await markAccepted(tx, id)
      await markEmailVerified(tx, userId)
      await audit(tx, req, { action: 'invitation.accepted', target: `invitation:${id}`, projectId })
      return { project: { id: projectId, slug, name }, role }
    })
    ctx.credentials.forgetUser(userId)
    return { status: 200, body }
  }
}
