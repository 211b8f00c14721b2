import { conflict, unprocessable } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import type { IamContext } from '../context.js'
import { insertLoginFailure } from '../db/login-failures.js'
import { revokeFamiliesOf } from '../db/refresh-tokens.js'
import { findLoginById, replacePasswordHash } from '../db/users.js'
import { assertStrongPassword } from '../domain/password-rule.js'
import { callerAddressOf } from '../security/network.js'
import { hashOf } from '../security/secret-text.js'
import { audit, mutate } from './audited.js'
import { userIdOf } from './caller.js'
import { assertAllowed } from './login-attempt.js'

const wrongCurrent = () =>
  unprocessable('wrong_password', 'The current password is wrong.', [
    { path: '/current', code: 'wrong', message: 'is not the current password' },
  ])

/** Ends every other login of the user: whoever else holds a token no longer does. */
export function changePassword(ctx: IamContext): RouteHandler {
  return async (req) => {
    const userId = userIdOf(req.identity)
    const { current, new: next } = req.body as { current: string; new: string }
    // A stolen token must not become a way to guess the password: guesses here count as failed logins do, but from all
    // networks together, since only holders of a token can make them.
    const account = hashOf(`password-change:${userId}`)
    const attempt = { account, address: callerAddressOf(req.ip), network: 'any', device: null }
    await assertAllowed(ctx, attempt)
    const user = await findLoginById(ctx.pool, userId)
    if (!user || !(await ctx.passwords.verify(user.passwordHash, current))) {
      await insertLoginFailure(ctx.pool, attempt)
      throw wrongCurrent()
    }
    assertStrongPassword(next, '/new', user.email)
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
