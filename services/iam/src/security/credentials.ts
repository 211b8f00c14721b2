import { AppError, unauthenticated } from '@millrace/errors'
import { type Role, roleAllows } from '@millrace/identity'
import type { Pool } from '@millrace/postgres'
import { LRUCache } from 'lru-cache'
import { validate as isUuid } from 'uuid'
import { findKeyFacts, findUserFacts, type KeyFacts } from '../db/credentials.js'
import type { Credential } from '../domain/credential.js'
import { verifyAccessToken } from './access-token.js'
import type { KeyRing } from './key-ring.js'
import type { KeyUsage } from './key-usage.js'
import { hashOf, isApiKey } from './secret-text.js'

/** 9999-12-31: for a key that does not expire. */
const NEVER = 253_402_300_799

const MAX_TOKEN_LENGTH = 4096

const refused = (reason: string, message: string): AppError => unauthenticated(reason, message)

/** Whose credential it was is for the audit log alone: no answer carries details. */
const refusedTo = (who: Principal, reason: string, message: string): AppError =>
  new AppError('unauthenticated', reason, message, { details: { ...who } })

export interface Principal {
  subject: string
  projectId: string
}

/** Of a refusal: who was refused, where that is known for certain. */
export function principalOf({ details }: AppError): Principal | undefined {
  const { subject, projectId } = details ?? {}
  return subject === undefined || projectId === undefined ? undefined : { subject, projectId }
}

const unknownKey = () => refused('invalid_api_key', 'The API key is not valid.')

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
  /**
   * A key that nobody has will not come to be: it would have to be drawn at random. So it is asked for once, and not with
   * each request. Bounded, and for a while only, should a database be restored.
   */
  private readonly unknownKeys = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 })
  private generation = 0

  constructor(
    private readonly pool: Pool,
    private readonly keys: KeyRing,
    private readonly cacheMs: number,
    private readonly usage: KeyUsage,
  ) {}

  /** Throws an AppError of code unauthenticated; any other error says nothing about the credential. */
  async resolve(bearer: string): Promise<Credential> {
    const credential = await this.known(bearer)
    if (credential.kind === 'key') this.usage.note(credential.keyId)
    return credential
  }

  private async known(bearer: string): Promise<Credential> {
    const entry = this.cache.get(bearer)
    if (entry && performance.now() - entry.readAt < this.cacheMs) {
      if (entry.credential.expiresAt * 1000 > Date.now()) return entry.credential
      const { subject } = entry.credential
      const projectId = entry.credential.kind === 'key' ? entry.credential.projectId : ''
      throw refusedTo({ subject, projectId }, 'token_expired', 'The credential has expired.')
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

  forgetProject(projectId: string): void {
    this.forget((credential) =>
      credential.kind === 'user'
        ? credential.memberships.some((membership) => membership.projectId === projectId)
        : credential.projectId === projectId,
    )
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
    const subject = `user:${userId}`
    const who = { subject, projectId: facts.defaultProjectId ?? '' }
    if (facts.disabled) throw refusedTo(who, 'user_disabled', 'The user is disabled.')
    if (!facts.familyAlive) throw refusedTo(who, 'token_revoked', 'The access token has been revoked.')
    const { email, admin, defaultProjectId, memberships } = facts
    const sessionId = familyId
    return { kind: 'user', subject, userId, email, sessionId, admin, defaultProjectId, memberships, expiresAt }
  }

  private async readKey(key: string): Promise<Credential> {
    const hash = hashOf(key)
    const name = hash.toString('base64')
    if (this.unknownKeys.has(name)) throw unknownKey()
    const facts = await findKeyFacts(this.pool, hash)
    if (!facts) {
      this.unknownKeys.set(name, true)
      throw unknownKey()
    }
    const who = { subject: `key:${facts.id}`, projectId: facts.projectId }
    if (facts.revoked) throw refusedTo(who, 'api_key_revoked', 'The API key has been revoked.')
    if (facts.expired) throw refusedTo(who, 'api_key_expired', 'The API key has expired.')
    if (facts.accountRole === null) assertMaker(facts, who)
    return {
      kind: 'key',
      subject: who.subject,
      keyId: facts.id,
      makerId: facts.makerId,
      projectId: facts.projectId,
      slug: facts.slug,
      role: effectiveRole(facts),
      expiresAt: facts.expiresAt ? Math.floor(facts.expiresAt.getTime() / 1000) : NEVER,
    }
  }
}

/** A person's key falls with the person. */
function assertMaker(facts: KeyFacts, who: Principal): void {
  if (facts.makerDisabled) throw refusedTo(who, 'user_disabled', 'The user who made the API key is disabled.')
  if (facts.makerRole === null) {
    throw refusedTo(who, 'api_key_revoked', 'The user who made the API key is no longer in its project.')
  }
}

/** A key is never above its maker or its account, also when their role was lowered later. */
function effectiveRole({ role, makerRole, accountRole }: KeyFacts): Role {
  const above = accountRole ?? makerRole
  if (role === 'worker' || above === null) return role
  return roleAllows(above, role) ? role : above
}
