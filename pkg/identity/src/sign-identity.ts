import { createPrivateKey, type KeyObject, randomBytes } from 'node:crypto'
import jwt from 'jsonwebtoken'
import type { Identity } from './identity.js'
import { audienceOf, type BoundRequest, requestDigest } from './request-binding.js'

export const IDENTITY_ISSUER = 'millrace-iam'

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

/**
 * Good for one request alone: whoever captures it cannot use it for another. Never outlives the credential it was made
 * from. A minute, because Envoy passes a request on only once it has read all of a body that may come slowly.
 */
export function signIdentity(identity: Identity, key: SigningKey, request: BoundRequest, ttlSeconds = 60): string {
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
    aud: audienceOf(request.service),
    req: requestDigest(request),
    jti: randomBytes(12).toString('base64url'),
    iat: now,
    exp: Math.min(now + ttlSeconds, identity.expiresAt),
  }
  return jwt.sign(claims, privateKeyOf(key.privateKeyPem), { algorithm: 'ES256', keyid: key.kid })
}
