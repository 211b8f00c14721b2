import { createPublicKey, type KeyObject } from 'node:crypto'

/** A public EC P-256 key as RFC 7517 writes it. */
export interface Jwk {
  kty: 'EC'
  crv: 'P-256'
  x: string
  y: string
  kid: string
  use?: 'sig'
  alg?: 'ES256'
}

export interface JwksDocument {
  keys: Jwk[]
}

export function jwkOf(publicKeyPem: string, kid: string): Jwk {
  const { x, y } = createPublicKey(publicKeyPem).export({ format: 'jwk' })
  if (x === undefined || y === undefined) throw new Error('not an elliptic-curve key')
  return { kty: 'EC', crv: 'P-256', x, y, kid, use: 'sig', alg: 'ES256' }
}

/** Keys of other kinds are left out: a verifier that took one could be talked into another algorithm. */
export function publicKeysOf(document: JwksDocument): Map<string, KeyObject> {
  const keys = new Map<string, KeyObject>()
  for (const { kty, crv, x, y, kid } of document.keys) {
    if (kty !== 'EC' || crv !== 'P-256' || typeof kid !== 'string') continue
    keys.set(kid, createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' }))
  }
  return keys
}
