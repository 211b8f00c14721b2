import type { Tx } from '@millrace/postgres'
import type { IamContext } from '../context.js'
import { insertToken } from '../db/refresh-tokens.js'
import { signAccessToken } from '../security/access-token.js'
import { hashOf, newRefreshToken } from '../security/secret-text.js'

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
