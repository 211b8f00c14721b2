import type { RouteHandler, RouteRequest } from '@millrace/http'
import type { Tx } from '@millrace/postgres'
import type { IamContext } from '../context.js'
import { deleteLoginFailuresOf } from '../db/login-failures.js'
import { insertMailJob } from '../db/mail-jobs.js'
import { deleteUserTokens, findUserToken, useUserToken } from '../db/one-time-tokens.js'
import { revokeFamiliesOf } from '../db/refresh-tokens.js'
import { findLoginById, type LoginRow, markEmailVerified, replacePasswordHash } from '../db/users.js'
import { normaliseEmail } from '../domain/email.js'
import { invalidToken } from '../domain/invalid-token.js'
import { assertStrongPassword } from '../domain/password-rule.js'
import { hashOf, isOneTimeToken } from '../security/secret-text.js'
import { audit, mutate } from './audited.js'
import { endWaysBack } from './first-confirmation.js'
import { accountOfLink, notingRefusals } from './open-refusals.js'

/** One row, whatever the address: the answer's status, text and time tell nothing. */
export function forgotPassword(ctx: IamContext): RouteHandler {
  return async (req) => {
    ctx.addressLimit.take(req.ip)
    const { email } = req.body as { email: string }
    await insertMailJob(ctx.pool, { kind: 'reset', address: normaliseEmail(email) })
    ctx.mail.wake()
    return { status: 202 }
  }
}

/** Answers the API keys that it revoked. */
async function reset(tx: Tx, req: RouteRequest, user: LoginRow, passwordHash: string): Promise<string[]> {
  const actor = `user:${user.id}`
  // The password was changed since the token was looked up: whoever did that must not lose it to an older link.
  if (!(await replacePasswordHash(tx, user.id, user.passwordHash, passwordHash))) throw invalidToken()
  await deleteUserTokens(tx, 'reset', user.id)
  // The link came by mail to the address.
  const first = await markEmailVerified(tx, user.id)
  await revokeFamiliesOf(tx, user.id, null, 'password reset')
  const { changes, keyIds } = first ? await endWaysBack(tx, user.id) : { changes: [], keyIds: [] }
  await deleteLoginFailuresOf(tx, hashOf(user.email))
  await audit(tx, req, { action: 'user.password_reset', actor, target: actor, projectId: user.defaultProjectId ?? '' })
  for (const change of changes) await audit(tx, req, { ...change, actor })
  return keyIds
}

/** Ends every session of the user. API keys stay, unless nobody had confirmed the address before. */
export function resetPassword(ctx: IamContext): RouteHandler {
  return notingRefusals(ctx, 'resetPassword', accountOfLink('reset'), async (req) => {
    const { token, new: next } = req.body as { token: string; new: string }
    if (!isOneTimeToken(token)) throw invalidToken()
    const hash = hashOf(token)
    // Looked up before the costly hash; a password that is refused does not use the link up.
    const found = await findUserToken(ctx.pool, 'reset', hash)
    const user = found && (await findLoginById(ctx.pool, found.userId))
    if (!user || user.disabled) throw invalidToken()
    assertStrongPassword(next, '/new', user.email)
    const passwordHash = await ctx.passwords.hash(next)
    const revoked = await mutate(ctx, async (tx) => {
      if (!(await useUserToken(tx, 'reset', hash))) throw invalidToken()
      return reset(tx, req, user, passwordHash)
    })
    ctx.credentials.forgetUser(user.id)
    for (const id of revoked) ctx.credentials.forgetKey(id)
    return { status: 204 }
  })
}
