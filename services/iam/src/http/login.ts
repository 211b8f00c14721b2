import { rateLimited, unauthenticated } from '@millrace/errors'
import type { RouteHandler, RouteRequest } from '@millrace/http'
import { v7 } from 'uuid'
import type { IamContext } from '../context.js'
import { deleteLoginFailuresOf, insertLoginFailure, secondsToWait } from '../db/login-failures.js'
import { insertFamily } from '../db/refresh-tokens.js'
import { findLogin, type LoginRow } from '../db/users.js'
import { normaliseEmail } from '../domain/email.js'
import { hashOf } from '../security/secret-text.js'
import { audit, mutate } from './audited.js'
import { issueTokens } from './issue-tokens.js'

async function assertAllowed(ctx: IamContext, account: Buffer, address: string): Promise<void> {
  const seconds = await secondsToWait(ctx.pool, account, address, ctx.config.login)
  if (seconds > 0) throw rateLimited('too_many_logins', 'Too many failed logins. Try again later.', seconds)
}

/** The same rows are written whether the account exists or not, so that the time taken tells nothing. */
async function refuse(ctx: IamContext, req: RouteRequest, account: Buffer, user: LoginRow | undefined): Promise<never> {
  await mutate(ctx, async (tx) => {
    await insertLoginFailure(tx, account, req.ip)
    await audit(tx, req, {
      action: 'user.login_failed',
      actor: user ? `user:${user.id}` : 'anonymous',
      target: user ? `user:${user.id}` : '',
      projectId: user?.defaultProjectId ?? '',
      outcome: 'denied',
    })
  })
  throw unauthenticated('invalid_credentials', 'The email address or the password is wrong.')
}

export function login(ctx: IamContext): RouteHandler {
  return async (req) => {
    const { email, password } = req.body as { email: string; password: string }
    const normal = normaliseEmail(email)
    const account = hashOf(normal)
    await assertAllowed(ctx, account, req.ip)
    const user = await findLogin(ctx.pool, normal)
    const matches = await ctx.passwords.verify(user?.passwordHash, password)
    // Asked again: of many tries at once, those that end after the limit was reached must not learn that they were right.
    await assertAllowed(ctx, account, req.ip)
    if (!user || !matches || user.disabled) return refuse(ctx, req, account, user)
    const familyId = v7()
    const body = await mutate(ctx, async (tx) => {
      await deleteLoginFailuresOf(tx, account)
      await insertFamily(tx, familyId, user.id, ctx.config.tokens.refreshMs)
      const actor = `user:${user.id}`
      await audit(tx, req, {
        action: 'user.logged_in',
        actor,
        target: actor,
        projectId: user.defaultProjectId ?? '',
      })
      return issueTokens(ctx, tx, user.id, familyId)
    })
    return { status: 200, body }
  }
}
