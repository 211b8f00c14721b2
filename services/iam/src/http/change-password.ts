import { conflict, rateLimited, unprocessable } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import type { IamContext } from '../context.js'
import { insertLoginFailure, secondsToWait } from '../db/login-failures.js'
import { revokeFamiliesOf } from '../db/refresh-tokens.js'
import { findLoginById, replacePasswordHash } from '../db/users.js'
import { assertStrongPassword } from '../domain/password-rule.js'
import { hashOf } from '../security/secret-text.js'
import { audit, mutate } from './audited.js'
import { userIdOf } from './caller.js'

const wrongCurrent = () =>
  unprocessable('wrong_password', 'The current password is wrong.', [
    { path: '/current', code: 'wrong', message: 'is not the current password' },
  ])

/** Ends every other login of the user: whoever else holds a token no longer does. */
export function changePassword(ctx: IamContext): RouteHandler {
  return async (req) => {
    const userId = userIdOf(req.identity)
    const { current, new: next } = req.body as { current: string; new: string }
    // A stolen token must not become a way to guess the password: guesses here count as failed logins do.
    const account = hashOf(`password-change:${userId}`)
    const seconds = await secondsToWait(ctx.pool, account, req.ip, ctx.config.login)
    if (seconds > 0) throw rateLimited('too_many_logins', 'Too many wrong passwords. Try again later.', seconds)
    const user = await findLoginById(ctx.pool, userId)
    if (!user || !(await ctx.passwords.verify(user.passwordHash, current))) {
      await insertLoginFailure(ctx.pool, account, req.ip)
      throw wrongCurrent()
    }
    assertStrongPassword(next, '/new')
    const passwordHash = await ctx.passwords.hash(next)
    await mutate(ctx, async (tx) => {
      if (!(await replacePasswordHash(tx, userId, user.passwordHash, passwordHash))) {
        throw conflict('password_changed', 'The password was changed meanwhile.')
      }
      await revokeFamiliesOf(tx, userId, req.identity.sessionId ?? null, 'password changed')
      await audit(tx, req, { action: 'user.password_changed', target: `user:${userId}` })
    })
    ctx.credentials.forgetUser(userId)
    return { status: 204 }
  }
}
