import { createPublicKey, type KeyObject } from 'node:crypto'
import { unauthenticated } from '@millrace/errors'
import jwt from 'jsonwebtoken'
import { LRUCache } from 'lru-cache'
import {
  formatTrustedServices,
  parseServicePrivateKey,
  parseTrustedServices,
  type ServiceKeySet,
  type TrustedServices,
} from './service-keys.js'
import { isServiceName, type ServiceName } from './service-name.js'
import type { PeerTls, ServiceTls } from './service-tls.js'

export const SERVICE_TOKEN_TYPE = 'millrace-service+jwt'

const TTL_SECONDS = 60
const REUSE_MS = 30_000
const MAX_TOKEN_LENGTH = 2048

interface Cached<T> {
  value: T
  until: number
}

/**
 * Who a service is and whom it believes. A token names its signer and its one recipient: a service that is shown a token
 * cannot show it to another, and a holder of one service's key cannot speak in the name of another.
 */
export class ServiceIdentity {
  private readonly signed = new Map<ServiceName, Cached<string>>()
  private readonly verified = new LRUCache<string, Cached<ServiceName>>({ max: 1000 })

  constructor(
    readonly name: ServiceName,
    private readonly privateKey: KeyObject,
    private readonly trusted: TrustedServices,
    /** Where services speak TLS among themselves. */
    readonly tls?: ServiceTls,
  ) {}

  /** From keys as the environment gives them; throws a TypeError or an error of OpenSSL when they are not. */
  static parse(name: ServiceName, privateKey: string, trustedServices: string, tls?: ServiceTls): ServiceIdentity {
    const key = parseServicePrivateKey(privateKey)
    const trusted = parseTrustedServices(trustedServices)
    const own = createPublicKey(key)
    if (!trusted.get(name)?.some((known) => known.equals(own))) {
      throw new TypeError(`the private key does not belong to a public key of ${name}`)
    }
    return new ServiceIdentity(name, key, trusted, tls)
  }

  static fromKeySet(name: ServiceName, keys: ServiceKeySet, tls?: ServiceTls): ServiceIdentity {
    return ServiceIdentity.parse(name, keys[name].privateKey, formatTrustedServices(keys), tls)
  }

  /** What a client of the named service shows: a token and, under TLS, a certificate. */
  credentialsFor(peer: ServiceName): { serviceToken: () => string; tls?: PeerTls } {
    return { serviceToken: () => this.tokenFor(peer), ...(this.tls ? { tls: { own: this.tls, peer } } : {}) }
  }

  /** Made anew about twice a minute for each recipient. */
  tokenFor(audience: ServiceName): string {
    const known = this.signed.get(audience)
    if (known && known.until > Date.now()) return known.value
    const value = jwt.sign({}, this.privateKey, {
      algorithm: 'ES256',
      header: { alg: 'ES256', typ: SERVICE_TOKEN_TYPE },
      issuer: this.name,
      audience,
      expiresIn: TTL_SECONDS,
    })
    this.signed.set(audience, { value, until: Date.now() + REUSE_MS })
    return value
  }

  /** Which service shows this token to this one. A good token costs a map lookup until it expires. */
  verify(token: string): ServiceName {
    const known = this.verified.get(token)
    if (known && known.until > Date.now()) return known.value
    if (token.length > MAX_TOKEN_LENGTH || !isServiceToken(token)) throw invalid()
    const name = claimedIssuer(token)
    for (const key of this.trusted.get(name) ?? []) {
      const expiresAt = this.check(token, name, key)
      if (expiresAt === undefined) continue
      this.verified.set(token, { value: name, until: expiresAt * 1000 })
      return name
    }
    throw invalid()
  }

  private check(token: string, issuer: ServiceName, key: KeyObject): number | undefined {
    try {
      const claims = jwt.verify(token, key, {
        algorithms: ['ES256'],
        audience: this.name,
        issuer,
        maxAge: TTL_SECONDS,
      })
      return typeof claims === 'string' ? undefined : claims.exp
    } catch {
      return undefined
    }
  }
}

/** Told by its header, before any key is used. */
export function isServiceToken(token: string): boolean {
  const end = token.indexOf('.')
  if (end < 0 || end > 200) return false
  return Buffer.from(token.slice(0, end), 'base64url').toString().includes(`"${SERVICE_TOKEN_TYPE}"`)
}

function claimedIssuer(token: string): ServiceName {
  try {
    const claims = jwt.decode(token)
    if (typeof claims === 'object' && isServiceName(claims?.iss)) return claims.iss
  } catch (error) {
    throw invalid(error)
  }
  throw invalid()
}

const invalid = (cause?: unknown) =>
  unauthenticated('invalid_service_token', 'The service identity is missing or invalid.', cause)
