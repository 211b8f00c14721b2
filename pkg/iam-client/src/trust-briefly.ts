import { createHash } from 'node:crypto'
import type { Identity } from '@millrace/identity'
import { LRUCache } from 'lru-cache'

/** Takes the whole `authorization` value and the slug of a project; throws when it is not good. */
export type ValidateToken = (authorization: string, project?: string) => Promise<Identity>

/** Bounds how long a revoked credential still works, on top of what iam itself remembers. */
const TRUST_MS = 1_000
const MAX_TRUSTED = 10_000

interface Trusted {
  until: number
  identity: Promise<Identity>
}

/**
 * Calls that come while the first is asked share its answer. The time counts from the question: what iam said may be
 * as old as that. A refusal is not kept. Tokens are kept hashed: a heap dump must not hold them.
 */
export function trustBriefly(validate: ValidateToken, now: () => number = Date.now): ValidateToken {
  const trusted = new LRUCache<string, Trusted>({ max: MAX_TRUSTED })
  return async (authorization, project = '') => {
    const key = createHash('sha256').update(`${project}\n${authorization}`).digest('base64')
    const known = trusted.get(key)
    if (known !== undefined && known.until > now()) return await known.identity
    const entry: Trusted = { until: now() + TRUST_MS, identity: validate(authorization, project) }
    trusted.set(key, entry)
    try {
      const identity = await entry.identity
      entry.until = Math.min(entry.until, identity.expiresAt * 1_000)
      return identity
    } catch (error) {
      if (trusted.peek(key) === entry) trusted.delete(key)
      throw error
    }
  }
}
