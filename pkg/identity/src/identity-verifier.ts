import type { KeyObject } from 'node:crypto'
import { unauthenticated, unavailable } from '@millrace/errors'
import jwt from 'jsonwebtoken'
import { LRUCache } from 'lru-cache'
import { type Identity, isRole } from './identity.js'
import { type JwksDocument, publicKeysOf } from './jwks.js'
import { IDENTITY_AUDIENCE, IDENTITY_ISSUER } from './sign-identity.js'

const REFETCH_MS = 5000
const RETRY_MS = 250

const invalid = (cause?: unknown) => unauthenticated('invalid_identity', 'The identity is missing or invalid.', cause)

function identityOf(claims: jwt.JwtPayload): Identity | undefined {
  const { sub, uid, email, sid, pid, prj, role, adm, exp } = claims
  if (typeof sub !== 'string' || typeof pid !== 'string' || typeof prj !== 'string') return undefined
  if (!isRole(role) || typeof adm !== 'boolean' || typeof exp !== 'number') return undefined
  return {
    subject: sub,
    ...(typeof uid === 'string' ? { userId: uid } : {}),
    ...(typeof email === 'string' ? { email } : {}),
    ...(typeof sid === 'string' ? { sessionId: sid } : {}),
    projectId: pid,
    project: prj,
    role,
    admin: adm,
    expiresAt: exp,
  }
}

/** Checks signed identities. A token that was once good costs a map lookup until it expires. */
export class IdentityVerifier {
  private readonly fetchJwks: () => Promise<JwksDocument>
  private readonly verified = new LRUCache<string, Identity>({ max: 10_000 })
  private keys = new Map<string, KeyObject>()
  private nextFetchAt = 0
  private fetching: Promise<void> | undefined

  constructor(fetchJwks: () => Promise<JwksDocument>) {
    this.fetchJwks = fetchJwks
  }

  async verify(token: string): Promise<Identity> {
    const known = this.verified.get(token)
    if (known) {
      if (known.expiresAt * 1000 > Date.now()) return known
      this.verified.delete(token)
      throw invalid()
    }
    const key = await this.keyOf(token)
    const identity = this.check(token, key)
    this.verified.set(token, identity)
    return identity
  }

  private check(token: string, key: KeyObject): Identity {
    let claims: jwt.JwtPayload | string
    try {
      claims = jwt.verify(token, key, {
        algorithms: ['ES256'],
        issuer: IDENTITY_ISSUER,
        audience: IDENTITY_AUDIENCE,
      })
    } catch (error) {
      throw invalid(error)
    }
    const identity = typeof claims === 'string' ? undefined : identityOf(claims)
    if (!identity) throw invalid()
    return identity
  }

  private async keyOf(token: string): Promise<KeyObject> {
    const kid = token.length > 8192 ? undefined : kidOf(token)
    if (kid === undefined) throw invalid()
    const known = this.keys.get(kid)
    if (known) return known
    // A forged kid must not turn into a request to iam for each call.
    if (this.fetching || Date.now() >= this.nextFetchAt) await this.refetch()
    const fetched = this.keys.get(kid)
    if (!fetched) throw invalid()
    return fetched
  }

  private refetch(): Promise<void> {
    this.fetching ??= this.fetchJwks()
      .then((document) => {
        this.keys = publicKeysOf(document)
        this.nextFetchAt = Date.now() + REFETCH_MS
      })
      .catch((error: unknown) => {
        this.nextFetchAt = Date.now() + RETRY_MS
        throw unavailable('identity_keys_unavailable', 'Identities cannot be checked right now.', error)
      })
      .finally(() => {
        this.fetching = undefined
      })
    return this.fetching
  }
}

function kidOf(token: string): string | undefined {
  try {
    return jwt.decode(token, { complete: true })?.header.kid
  } catch {
    return undefined
  }
}
