import { type AppError, unauthenticated } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import type { IamContext } from '../context.js'
import { lockToken, markUsed, revokeFamily } from '../db/refresh-tokens.js'
import { hashOf, isRefreshToken } from '../security/secret-text.js'
import { audit, mutate } from './audited.js'
import { issueTokens, replyWith, type TokenPair } from './issue-tokens.js'
import { emailUnverified } from './login.js'
import { clearSessionCookie, refreshTokenOf } from './session-cookie.js'

const invalid = () => unauthenticated('invalid_refresh_token', 'The refresh token is not valid.')

type Outcome =
  | { kind: 'issued'; pair: TokenPair }
  | { kind: 'reused'; userId: string }
  | { kind: 'unverified' }
  | { kind: 'invalid' }

export function refresh(ctx: IamContext): RouteHandler {
  return async (req) => {
    const { refreshToken, kind } = refreshTokenOf(req)
    // A browser keeps sending what it has: a cookie that is good for nothing is taken back.
    const refuse = (error: AppError): never => {
      if (kind === 'cookie') clearSessionCookie(ctx, req)
      throw error
    }
    if (!isRefreshToken(refreshToken)) return refuse(invalid())
    const hash = hashOf(refreshToken)
    // A reuse is an outcome, not an exception: the revocation it causes must be committed.
    const outcome = await mutate(ctx, async (tx): Promise<Outcome> => {
      const shown = await lockToken(tx, hash)
      if (!shown || shown.kind !== kind || shown.revoked || shown.expired || shown.disabled) return { kind: 'invalid' }
      if (shown.used) {
        await revokeFamily(tx, shown.familyId, 'reused')
        const actor = `user:${shown.userId}`
        await audit(tx, req, {
          action: 'refresh_token.reused',
          actor,
          target: actor,
          projectId: shown.defaultProjectId ?? '',
          outcome: 'denied',
        })
        return { kind: 'reused', userId: shown.userId }
      }
      if (ctx.config.requireVerifiedEmail && !shown.emailVerified) return { kind: 'unverified' }
      await markUsed(tx, hash)
      return { kind: 'issued', pair: await issueTokens(ctx, tx, shown.userId, shown.familyId) }
    })
    if (outcome.kind === 'issued') return replyWith(ctx, req, kind, outcome.pair)
    if (outcome.kind === 'unverified') throw emailUnverified()
    if (outcome.kind === 'invalid') return refuse(invalid())
    ctx.credentials.forgetUser(outcome.userId)
    return refuse(unauthenticated('refresh_token_reused', 'The refresh token was used before; log in again.'))
  }
}
