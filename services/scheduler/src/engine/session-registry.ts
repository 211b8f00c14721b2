import { createHash, timingSafeEqual } from 'node:crypto'
import { notFound, permissionDenied, unauthenticated } from '@millrace/errors'
import { LRUCache } from 'lru-cache'
import type { SessionRow } from '../db/sessions.js'
import { ageBy, type Environment } from './environment.js'
import type { SessionFacts } from './long-polls.js'
import type { SessionStore } from './store.js'

/** The credential behind a session, and the project it works for: null for the built-in worker, which serves all. */
export interface SessionOwner {
  /** `key:<id>` or `service:<name>`. */
  readonly subject: string
  readonly projectId: string | null
}

export interface Registration {
  readonly name: string
  readonly executors: readonly string[]
  readonly queues: readonly string[]
  readonly concurrency: number
  readonly sdk: string
  readonly version: string
  /** It was paused before it lost its session. */
  readonly paused: boolean
}

export interface KnownSession extends SessionFacts {
  readonly secretHash: Buffer
  readonly owner: string
}

const hash = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** Sessions are rows; this only spares the read of one that was seen a moment ago. */
export class SessionRegistry {
  private readonly known: LRUCache<string, KnownSession>

  constructor(
    private readonly store: SessionStore,
    private readonly env: Environment,
    private readonly leaseMs: number,
    maxKnown: number,
  ) {
    this.known = new LRUCache({ max: maxKnown, ttl: 2000, ...ageBy(env) })
  }

  async register(
    owner: SessionOwner,
    registration: Registration,
  ): Promise<{ id: string; secret: string; workerId: string }> {
    const id = this.env.newId()
    const secret = this.env.newSecret(32).toString('base64url')
    const workerId = `${registration.name}-${id.slice(-12)}`
    const { paused, ...facts } = registration
    const state = paused ? ('paused' as const) : ('active' as const)
    const session = { ...facts, id, secretHash: hash(secret), owner: owner.subject, projectId: owner.projectId }
    await this.store.insertSession({ ...session, workerId, state }, this.leaseMs)
    return { id, secret, workerId }
  }

  /** The live session that this id and secret name, for the credential that registered it alone. */
  async authenticate(
    claim: { id: string; secret: string } | null | undefined,
    caller: SessionOwner,
  ): Promise<KnownSession> {
    if (!claim || !/^[0-9a-f-]{36}$/.test(claim.id)) throw gone()
    const session = this.known.get(claim.id) ?? (await this.read(claim.id))
    if (!timingSafeEqual(session.secretHash, hash(claim.secret))) {
      throw unauthenticated('bad_session', 'the session secret is wrong')
    }
    // A secret that leaked is worth nothing without the key, and a key that was revoked nothing with it.
    if (session.owner !== caller.subject || session.projectId !== caller.projectId) {
      throw permissionDenied('session_not_owned', 'the session was registered with another credential')
    }
    return session
  }

  forget(ids: readonly string[]): void {
    for (const id of ids) this.known.delete(id)
  }

  private async read(id: string): Promise<KnownSession> {
    const row = await this.store.findSession(id)
    if (!row || row.owner === null) throw gone()
    const session = toFacts(row, row.owner)
    this.known.set(id, session)
    return session
  }
}

const gone = () => notFound('session_ended', 'the session is unknown or has ended: register again')

const toFacts = (row: SessionRow, owner: string): KnownSession => ({
  id: row.id,
  workerId: row.worker_id,
  projectId: row.project_id,
  executors: row.executors,
  queues: row.queues,
  secretHash: row.secret_hash,
  owner,
})
