import { type AppError, unauthenticated } from '@millrace/errors'
import { type Role, roleAllows } from '@millrace/identity'
import type { Pool } from '@millrace/postgres'
import { LRUCache } from 'lru-cache'
import { validate as isUuid } from 'uuid'
import { findKeyFacts, findUserFacts, type KeyFacts } from '../db/credentials.js'
import type { Credential } from '../domain/credential.js'
import { verifyAccessToken } from './access-token.js'
import type { KeyRing } from './key-ring.js'
import { hashOf, isApiKey } from './secret-text.js'

/** 9999-12-31: for a key that does not expire. */
const NEVER = 253_402_300_799

const MAX_TOKEN_LENGTH = 4096

const refused = (reason: string, message: string): AppError => unauthenticated(reason, message)

interface Entry {
  credential: Credential
  readAt: number
}

/**
 * Turns a bearer text into what it means now. An answer is reused for a short while: a change made through this
 * process takes effect at once, one made by another replica when the answer has aged out.
 */
export class Credentials {
  private readonly cache = new LRUCache<string, Entry>({ max: 20_000 })
  private readonly reading = new Map<string, Promise<Credential>>()
  private generation = 0

  constructor(
    private readonly pool: Pool,
    private readonly keys: KeyRing,
    private readonly cacheMs: number,
  ) {}

  /** Throws an AppError of code unauthenticated; any other error says nothing about the credential. */
  async resolve(bearer: string): Promise<Credential> {
    const entry = this.cache.get(bearer)
    if (entry && performance.now() - entry.readAt < this.cacheMs) {
      if (entry.credential.expiresAt * 1000 > Date.now()) return entry.credential
      throw refused('token_expired', 'The credential has expired.')
    }
    const pending = this.reading.get(bearer)
    if (pending) return pending
    const reading = this.read(bearer).finally(() => {
      if (this.reading.get(bearer) === reading) this.reading.delete(bearer)
    })
    this.reading.set(bearer, reading)
    return reading
  }

  /** Drops what is known of credentials that `matches`; reads in flight are not kept either. */
  forget(matches: (credential: Credential) => boolean): void {
    this.generation += 1
    this.reading.clear()
    for (const [bearer, entry] of this.cache.entries()) {
      if (matches(entry.credential)) this.cache.delete(bearer)
    }
  }

  forgetUser(userId: string): void {
    this.forget((credential) => (credential.kind === 'user' ? credential.userId : credential.makerId) === userId)
  }

  forgetKey(keyId: string): void {
    this.forget((credential) => credential.kind === 'key' && credential.keyId === keyId)
  }

  private async read(bearer: string): Promise<Credential> {
    const { generation } = this
    // The age counts from before the question: an answer may be old by the time it comes.
    const readAt = performance.now()
    const credential = await this.ask(bearer)
    if (generation === this.generation) this.cache.set(bearer, { credential, readAt })
    return credential
  }

  private ask(bearer: string): Promise<Credential> {
    if (isApiKey(bearer)) return this.readKey(bearer)
    if (bearer.length > MAX_TOKEN_LENGTH) throw refused('invalid_token', 'The access token is not valid.')
    return this.readUser(bearer)
  }

  private async readUser(token: string): Promise<Credential> {
    const { userId, familyId, expiresAt } = await verifyAccessToken(this.keys, token)
    if (!isUuid(userId) || !isUuid(familyId)) throw refused('invalid_token', 'The access token is not valid.')
    const facts = await findUserFacts(this.pool, userId, familyId)
    if (!facts) throw refused('invalid_token', 'The access token is not valid.')
    if (facts.disabled) throw refused('user_disabled', 'The user is disabled.')
    if (!facts.familyAlive) throw refused('token_revoked', 'The access token has been revoked.')
    const { email, admin, defaultProjectId, memberships } = facts
    const subject = `user:${userId}`
    const sessionId = familyId
    return { kind: 'user', subject, userId, email, sessionId, admin, defaultProjectId, memberships, expiresAt }
  }

  private async readKey(key: string): Promise<Credential> {
    const facts = await findKeyFacts(this.pool, hashOf(key))
    if (!facts) throw refused('invalid_api_key', 'The API key is not valid.')
    if (facts.revoked) throw refused('api_key_revoked', 'The API key has been revoked.')
    if (facts.expired) throw refused('api_key_expired', 'The API key has expired.')
    if (facts.makerDisabled) throw refused('user_disabled', 'The user who made the API key is disabled.')
    if (facts.makerRole === null) {
      throw refused('api_key_revoked', 'The user who made the API key is no longer in its project.')
    }
    return {
      kind: 'key',
      subject: `key:${facts.id}`,
      keyId: facts.id,
      makerId: facts.makerId,
      projectId: facts.projectId,
      slug: facts.slug,
      role: effectiveRole(facts),
      expiresAt: facts.expiresAt ? Math.floor(facts.expiresAt.getTime() / 1000) : NEVER,
    }
  }
}

/** A key is never above its maker, also when the maker's role was lowered later. */
function effectiveRole({ role, makerRole }: KeyFacts): Role {
  if (role === 'worker' || makerRole === null) return role
  return roleAllows(makerRole, role) ? role : makerRole
}
