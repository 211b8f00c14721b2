import { AppError, unauthenticated } from '@millrace/errors'
import { privateKeyOf } from '@millrace/identity'
import jwt from 'jsonwebtoken'
import type { KeyRing } from './key-ring.js'

/** Unlike that of a signed identity: neither can be shown where the other is asked for. */
const AUDIENCE = 'millrace'
const ISSUER = 'millrace-iam'

export interface AccessClaims {
  userId: string
  familyId: string
  /** Epoch seconds. */
  expiresAt: number
}

export function signAccessToken(keys: KeyRing, userId: string, familyId: string, ttlSeconds: number): string {
  const { kid, privateKeyPem } = keys.signingKey
  return jwt.sign({ sid: familyId }, privateKeyOf(privateKeyPem), {
    algorithm: 'ES256',
    keyid: kid,
    subject: userId,
    audience: AUDIENCE,
    issuer: ISSUER,
    expiresIn: ttlSeconds,
  })
}

const refused = (cause?: unknown): AppError => unauthenticated('invalid_token', 'The access token is not valid.', cause)

/** The signature was checked before the end was: whose token it is, is certain. */
function expired(token: string, cause: unknown): AppError {
  const subject = jwt.decode(token)?.sub
  const details = typeof subject === 'string' ? { subject: `user:${subject}`, projectId: '' } : undefined
  return new AppError('unauthenticated', 'token_expired', 'The access token has expired.', { cause, details })
}

let lastReload = 0

async function keyFor(keys: KeyRing, token: string) {
  let kid: string | undefined
  try {
    kid = jwt.decode(token, { complete: true })?.header.kid
  } catch (error) {
    throw refused(error)
  }
  if (kid === undefined) throw refused()
  const known = keys.publicKey(kid)
  if (known) return known
  // Another replica may have begun to sign with a key made a moment ago; strangers' kids must not load the database.
  if (Date.now() - lastReload > 1000) {
    lastReload = Date.now()
    await keys.reload()
  }
  const reloaded = keys.publicKey(kid)
  if (!reloaded) throw refused()
  return reloaded
}

export async function verifyAccessToken(keys: KeyRing, token: string): Promise<AccessClaims> {
  const key = await keyFor(keys, token)
  let claims: jwt.JwtPayload | string
  try {
    claims = jwt.verify(token, key, { algorithms: ['ES256'], audience: AUDIENCE, issuer: ISSUER })
  } catch (error) {
    if (!(error instanceof jwt.TokenExpiredError)) throw refused(error)
    throw expired(token, error)
  }
  if (typeof claims === 'string') throw refused()
  const { sub, sid, exp } = claims
  if (typeof sub !== 'string' || typeof sid !== 'string' || exp === undefined) throw refused()
  return { userId: sub, familyId: sid, expiresAt: exp }
}
