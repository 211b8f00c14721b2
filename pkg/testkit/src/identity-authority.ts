import { generateKeyPairSync, randomUUID } from 'node:crypto'
import {
  type BoundRequest,
  type Identity,
  IdentityVerifier,
  type JwksDocument,
  jwkOf,
  signIdentity,
} from '@millrace/identity'

export interface IdentityAuthority {
  jwks: JwksDocument
  /** What a service is given to check identities with: whoever signed, whatever for and however often shown. */
  verifier: IdentityVerifier
  /** As in production: also for which request, and how often. */
  strictVerifier: IdentityVerifier
  identity(partial?: Partial<Identity>): Identity
  /** The value of `x-millrace-identity`: an owner of a project of its own unless told otherwise. */
  identityHeader(partial?: Partial<Identity>, request?: BoundRequest): string
}

/** So that tests may send one identity with several requests. */
class UnboundVerifier extends IdentityVerifier {
  override async verify(token: string): Promise<Identity> {
    return (await this.verifySignature(token)).identity
  }
}

const anyRequest: BoundRequest = { service: 'any', method: 'GET', target: '/' }

/** Stands where iam stands, so that a service can be called directly. */
export function testIdentityAuthority(): IdentityAuthority {
  const kid = randomUUID()
  const pair = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const jwks: JwksDocument = { keys: [jwkOf(pair.publicKey, kid)] }
  const identity = (partial: Partial<Identity> = {}): Identity => {
    const userId = partial.userId ?? randomUUID()
    return {
      subject: `user:${userId}`,
      userId,
      projectId: randomUUID(),
      project: 'test',
      role: 'owner',
      admin: false,
      expiresAt: Math.floor(Date.now() / 1000) + 3600,
      ...partial,
    }
  }
  return {
    jwks,
    verifier: new UnboundVerifier(() => Promise.resolve(jwks)),
    strictVerifier: new IdentityVerifier(() => Promise.resolve(jwks)),
    identity,
    identityHeader: (partial, request = anyRequest) =>
      signIdentity(identity(partial), { privateKeyPem: pair.privateKey, kid }, request, 3600),
  }
}
