import { createPrivateKey, type KeyObject } from 'node:crypto'
import jwt from 'jsonwebtoken'
import type { Identity } from './identity.js'

export const IDENTITY_ISSUER = 'millrace-iam'
export const IDENTITY_AUDIENCE = 'millrace-internal'

export interface SigningKey {
  privateKeyPem: string
  kid: string
}

/** Parsing a PEM costs more than the signature; a process signs with two or three keys in its life. */
const parsed = new Map<string, KeyObject>()

export function privateKeyOf(pem: string): KeyObject {
  const known = parsed.get(pem)
  if (known) return known
  if (parsed.size >= 16) parsed.clear()
  const key = createPrivateKey(pem)
  parsed.set(pem, key)
  return key
}

/** Never outlives the credential it was made from. */
export function signIdentity(identity: Identity, key: SigningKey, ttlSeconds = 60): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    sub: identity.subject,
    ...(identity.userId === undefined ? {} : { uid: identity.userId }),
    ...(identity.email === undefined ? {} : { email: identity.email }),
    ...(identity.sessionId === undefined ? {} : { sid: identity.sessionId }),
    pid: identity.projectId,
    prj: identity.project,
    role: identity.role,
    adm: identity.admin,
    iss: IDENTITY_ISSUER,
    aud: IDENTITY_AUDIENCE,
    iat: now,
    exp: Math.min(now + ttlSeconds, identity.expiresAt),
  }
  return jwt.sign(claims, privateKeyOf(key.privateKeyPem), { algorithm: 'ES256', keyid: key.kid })
}
