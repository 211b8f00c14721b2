import type { RouteHandler } from '@millrace/http'
import type { IamContext } from '../context.js'
import { lockToken, revokeFamily } from '../db/refresh-tokens.js'
import { hashOf, isRefreshToken } from '../security/secret-text.js'
import { audit, mutate } from './audited.js'
import { clearSessionCookie, refreshTokenOf } from './session-cookie.js'

/** Answers alike whether the token was good or not: logging out twice is no fault. */
export function logout(ctx: IamContext): RouteHandler {
  return async (req) => {
    const { refreshToken, kind } = refreshTokenOf(req)
    if (kind === 'cookie') clearSessionCookie(ctx, req)
    if (!isRefreshToken(refreshToken)) return { status: 204 }
    const userId = await mutate(ctx, async (tx) => {
      const shown = await lockToken(tx, hashOf(refreshToken))
      if (!shown || shown.kind !== kind || shown.revoked) return undefined
      await revokeFamily(tx, shown.familyId, 'logout')
      const actor = `user:${shown.userId}`
      const projectId = shown.defaultProjectId ?? ''
      await audit(tx, req, { action: 'user.logged_out', actor, target: actor, projectId })
      return shown.userId
    })
    if (userId !== undefined) ctx.credentials.forgetUser(userId)
    return { status: 204 }
  }
}
