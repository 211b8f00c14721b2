import type { KeyObject } from 'node:crypto'
import { unauthenticated, unavailable } from '@millrace/errors'
import jwt from 'jsonwebtoken'
import { type Identity, isRole } from './identity.js'
import { type JwksDocument, publicKeysOf } from './jwks.js'
import { audienceOf, type BoundRequest, requestDigest, usesAllowed } from './request-binding.js'
import { IDENTITY_ISSUER } from './sign-identity.js'
import { UseCounter } from './use-counter.js'

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

function signedOf(claims: jwt.JwtPayload): SignedIdentity | undefined {
  const identity = identityOf(claims)
  const { aud, req, jti } = claims
  if (!identity || typeof aud !== 'string' || typeof req !== 'string' || typeof jti !== 'string') return undefined
  return { identity, audience: aud, digest: req, tokenId: jti }
}

/** What a signature vouches for, before it is known whether it is this request that it was made for. */
export interface SignedIdentity {
  readonly identity: Identity
  readonly audience: string
  readonly digest: string
  readonly tokenId: string
}

/** Checks signed identities: who signed, for which request, and how often it was shown here. */
export class IdentityVerifier {
  private readonly fetchJwks: () => Promise<JwksDocument>
  private readonly uses = new UseCounter()
  private keys = new Map<string, KeyObject>()
  private nextFetchAt = 0
  private fetching: Promise<void> | undefined

  constructor(fetchJwks: () => Promise<JwksDocument>) {
    this.fetchJwks = fetchJwks
  }

  async verify(token: string, request: BoundRequest): Promise<Identity> {
    const { identity, audience, digest, tokenId } = await this.verifySignature(token)
    if (audience !== audienceOf(request.service) || digest !== requestDigest(request)) throw invalid()
    if (!this.uses.take(tokenId, identity.expiresAt * 1000, usesAllowed(request.method))) throw invalid()
    return identity
  }

  protected async verifySignature(token: string): Promise<SignedIdentity> {
    const key = await this.keyOf(token)
    let claims: jwt.JwtPayload | string
    try {
      claims = jwt.verify(token, key, { algorithms: ['ES256'], issuer: IDENTITY_ISSUER })
    } catch (error) {
      throw invalid(error)
    }
    const signed = typeof claims === 'string' ? undefined : signedOf(claims)
    if (!signed) throw invalid()
    return signed
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
