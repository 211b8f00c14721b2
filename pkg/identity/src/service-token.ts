import { unauthenticated } from '@millrace/errors'
import jwt from 'jsonwebtoken'
import { LRUCache } from 'lru-cache'

const AUDIENCE = 'millrace-service'
const TTL_SECONDS = 60
const REUSE_MS = 30_000

interface Cached<T> {
  value: T
  until: number
}

const signed = new LRUCache<string, Cached<string>>({ max: 100 })
const verified = new LRUCache<string, Cached<{ service: string }>>({ max: 1000 })

/** What one service shows another on internal listeners; made anew about twice a minute. */
export function signServiceToken(secret: string, service: string): string {
  const cacheKey = `${service}\n${secret}`
  const known = signed.get(cacheKey)
  if (known && known.until > Date.now()) return known.value
  const value = jwt.sign({}, secret, {
    algorithm: 'HS256',
    audience: AUDIENCE,
    subject: `service:${service}`,
    expiresIn: TTL_SECONDS,
  })
  signed.set(cacheKey, { value, until: Date.now() + REUSE_MS })
  return value
}

export function verifyServiceToken(secret: string, token: string): { service: string } {
  const cacheKey = `${token}\n${secret}`
  const known = verified.get(cacheKey)
  if (known && known.until > Date.now()) return known.value
  const claims = verifyClaims(secret, token)
  const service = claims.sub?.startsWith('service:') ? claims.sub.slice('service:'.length) : ''
  if (service === '' || claims.exp === undefined) throw invalid()
  const value = { service }
  verified.set(cacheKey, { value, until: claims.exp * 1000 })
  return value
}

function verifyClaims(secret: string, token: string): jwt.JwtPayload {
  try {
    const claims = jwt.verify(token, secret, { algorithms: ['HS256'], audience: AUDIENCE })
    if (typeof claims !== 'string') return claims
  } catch (error) {
    throw invalid(error)
  }
  throw invalid()
}

const invalid = (cause?: unknown) =>
  unauthenticated('invalid_service_token', 'The service identity is missing or invalid.', cause)
