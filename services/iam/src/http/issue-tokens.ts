import type { JsonReply, RouteRequest } from '@millrace/http'
import type { Tx } from '@millrace/postgres'
import { v7 } from 'uuid'
import type { IamContext } from '../context.js'
import { insertFamily, insertToken, type SessionKind } from '../db/refresh-tokens.js'
import { signAccessToken } from '../security/access-token.js'
import { hashOf, newRefreshToken } from '../security/secret-text.js'
import { sendSessionCookie } from './session-cookie.js'

export interface TokenPair {
  accessToken: string
  refreshToken: string
  tokenType: 'Bearer'
  /** Seconds. */
  expiresIn: number
}

export async function issueTokens(ctx: IamContext, tx: Tx, userId: string, familyId: string): Promise<TokenPair> {
  const { accessMs, refreshMs } = ctx.config.tokens
  const expiresIn = Math.floor(accessMs / 1000)
  const refreshToken = newRefreshToken()
  await insertToken(tx, hashOf(refreshToken), familyId, refreshMs)
  const accessToken = signAccessToken(ctx.keys, userId, familyId, expiresIn)
  return { accessToken, refreshToken, tokenType: 'Bearer', expiresIn }
}

/** A new login of the user, with its first pair. */
export async function beginSession(
  ctx: IamContext,
  tx: Tx,
  req: RouteRequest,
  { userId, kind }: { userId: string; kind: SessionKind },
): Promise<TokenPair> {
  const familyId = v7()
  const { refreshMs, sessionMs } = ctx.config.tokens
  const userAgent = (req.headers['user-agent'] ?? '').slice(0, 300)
  await insertFamily(tx, { id: familyId, userId, kind, ip: req.ip, userAgent, lifeMs: refreshMs, sessionMs })
  return issueTokens(ctx, tx, userId, familyId)
}

/** In a cookie session the refresh token is kept from the page's scripts. */
export function replyWith(ctx: IamContext, req: RouteRequest, kind: SessionKind, pair: TokenPair): JsonReply {
  if (kind === 'token') return { status: 200, body: pair }
  const { refreshToken, ...shown } = pair
  sendSessionCookie(ctx, req, refreshToken)
  return { status: 200, body: shown }
}
