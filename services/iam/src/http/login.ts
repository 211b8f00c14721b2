import { permissionDenied, unauthenticated } from '@millrace/errors'
import type { RouteHandler, RouteRequest } from '@millrace/http'
import type { IamContext } from '../context.js'
import { deleteLoginFailures, insertLoginFailure, type LoginAttempt } from '../db/login-failures.js'
import { findLogin, type LoginRow } from '../db/users.js'
import { normaliseEmail } from '../domain/email.js'
import { hashOf } from '../security/secret-text.js'
import { audit, mutate } from './audited.js'
import { beginSession, replyWith } from './issue-tokens.js'
import { assertAllowed, attemptOf, delayRefusal, sendDeviceCookie } from './login-attempt.js'
import { accountOfEmail, notingRefusals } from './open-refusals.js'

/** Said only to whoever knows the password. */
export const emailUnverified = () =>
  permissionDenied('email_unverified', 'Open the link in the mail that was sent to the address, or ask for another.')

/** The same rows are written whether the account exists or not, so that the time taken tells nothing. */
async function recordFailure(ctx: IamContext, req: RouteRequest, attempt: LoginAttempt, user: LoginRow | undefined) {
  await mutate(ctx, async (tx) => {
    await insertLoginFailure(tx, attempt)
    await audit(tx, req, {
      action: 'user.login_failed',
      actor: user ? `user:${user.id}` : 'anonymous',
      target: user ? `user:${user.id}` : '',
      projectId: user?.defaultProjectId ?? '',
      outcome: 'denied',
    })
  })
}

const invalidCredentials = () => unauthenticated('invalid_credentials', 'The email address or the password is wrong.')

export function login(ctx: IamContext): RouteHandler {
  return notingRefusals(ctx, 'login', accountOfEmail, async (req) => {
    const { email, password, session } = req.body as { email: string; password: string; session?: 'cookie' }
    const normal = normaliseEmail(email)
    const attempt = attemptOf(ctx, req, hashOf(normal))
    await assertAllowed(ctx, attempt)
    const user = await findLogin(ctx.pool, normal)
    const matches = await ctx.passwords.verify(user?.passwordHash, password)
    // Asked again: of many tries at once, those that end after the limit was reached must not learn that they were right.
    const failures = await assertAllowed(ctx, attempt)
    if (!user || !matches || user.disabled) {
      await recordFailure(ctx, req, attempt, user)
      await delayRefusal(ctx, req, failures)
      throw invalidCredentials()
    }
    if (ctx.config.requireVerifiedEmail && !user.emailVerified) throw emailUnverified()
    const kind = session ?? 'token'
    const pair = await mutate(ctx, async (tx) => {
      await deleteLoginFailures(tx, attempt)
      const actor = `user:${user.id}`
      await audit(tx, req, {
        action: 'user.logged_in',
        actor,
        target: actor,
        projectId: user.defaultProjectId ?? '',
      })
      return beginSession(ctx, tx, req, { userId: user.id, kind })
    })
    const reply = replyWith(ctx, req, kind, pair)
    if (kind === 'cookie') sendDeviceCookie(ctx, req, attempt)
    return reply
  })
}
