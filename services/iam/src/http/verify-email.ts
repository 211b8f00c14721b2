import type { JsonReply, RouteHandler, RouteRequest } from '@millrace/http'
import type { IamContext } from '../context.js'
import { insertMailJob } from '../db/mail-jobs.js'
import { deleteUserTokens, findUserToken, useUserToken } from '../db/one-time-tokens.js'
import { findUser, markEmailVerified } from '../db/users.js'
import { normaliseEmail } from '../domain/email.js'
import { invalidToken } from '../domain/invalid-token.js'
import { hashOf, isOneTimeToken } from '../security/secret-text.js'
import { audit, mutate } from './audited.js'
import { accountOfLink, notingRefusals } from './open-refusals.js'

/** With a token it confirms the address; with an address it asks for another mail. */
export function verifyEmail(ctx: IamContext): RouteHandler {
  return notingRefusals(ctx, 'verifyEmail', accountOfLink('verify'), async (req) => {
    const { token, email } = req.body as { token?: string; email?: string }
    if (email !== undefined) return resend(ctx, req, email)
    if (token === undefined || !isOneTimeToken(token)) throw invalidToken()
    const hash = hashOf(token)
    await mutate(ctx, async (tx) => {
      const found = await findUserToken(tx, 'verify', hash)
      if (!found || !(await useUserToken(tx, 'verify', hash))) throw invalidToken()
      const user = await findUser(tx, found.userId)
      if (!user || user.disabled) throw invalidToken()
      await markEmailVerified(tx, user.id)
      await deleteUserTokens(tx, 'verify', user.id)
      const actor = `user:${user.id}`
      await audit(tx, req, { action: 'user.email_verified', actor, target: actor, projectId: '' })
    })
    return { status: 204 }
  })
}

/** Answers alike whether the address is registered, verified or unknown; a few mails an hour are sent at most. */
async function resend(ctx: IamContext, req: RouteRequest, email: string): Promise<JsonReply> {
  ctx.addressLimit.take(req.ip)
  await insertMailJob(ctx.pool, { kind: 'verify', address: normaliseEmail(email) })
  ctx.mail.wake()
  return { status: 202 }
}
