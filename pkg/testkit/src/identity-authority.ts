import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { type Identity, IdentityVerifier, type JwksDocument, jwkOf, signIdentity } from '@millrace/identity'

export interface IdentityAuthority {
  jwks: JwksDocument
  /** What a service is given to check identities with. */
  verifier: IdentityVerifier
  identity(partial?: Partial<Identity>): Identity
  /** The value of `x-millrace-identity`: an owner of a project of its own unless told otherwise. */
  identityHeader(partial?: Partial<Identity>): string
}

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
    verifier: new IdentityVerifier(() => Promise.resolve(jwks)),
    identity,
    identityHeader: (partial) => signIdentity(identity(partial), { privateKeyPem: pair.privateKey, kid }, 3600),
  }
}
