import { createHash, createHmac } from 'node:crypto'
import { conflict, unprocessable } from '@millrace/errors'
import type { Pool, Queryable } from '@millrace/postgres'
import { v7 } from 'uuid'
import type { IdempotencyOptions, JsonReply } from './types.js'

/** As long as any handler may take; after that the attempt counts as lost and the key may be taken over. */
const LOCK_SECONDS = 60
const KEEP_HOURS = 24

export interface IdempotencyScope {
  projectId: string
  subject: string
  key: string
}

export interface Attempt {
  /** True once the answer is stored, by settle or by finish. */
  readonly settled: boolean
  settle(tx: Queryable, reply: JsonReply): Promise<void>
  /** The handler failed: the key is free again, unless its answer was committed. */
  release(): Promise<void>
}

export type Begun = { kind: 'attempt'; attempt: Attempt } | { kind: 'replay'; reply: JsonReply }

const takeKey = `
insert into idempotency_keys as k (project_id, subject, key, request_digest, attempt, locked_until, expires_at)
values ($1, $2, $3, $4, $5, now() + make_interval(secs => ${LOCK_SECONDS}), now() + make_interval(hours => ${KEEP_HOURS}))
on conflict (project_id, subject, key) do update
  set request_digest = excluded.request_digest, attempt = excluded.attempt, locked_until = excluded.locked_until,
      expires_at = excluded.expires_at, status = null, headers = null, body = null
  where k.expires_at <= now()
     or (k.status is null and k.locked_until <= now() and k.request_digest = excluded.request_digest)
returning attempt`

const readKey = `
select request_digest as "digest", status, headers, body from idempotency_keys
where project_id = $1 and subject = $2 and key = $3`

// Guarded by the attempt: a handler so slow that its key was taken over must not commit its work a second time.
const storeAnswer = `
update idempotency_keys set status = $5, headers = $6, body = $7
where project_id = $1 and subject = $2 and key = $3 and attempt = $4 and status is null`

const releaseKey = `
delete from idempotency_keys
where project_id = $1 and subject = $2 and key = $3 and attempt = $4 and status is null`

export function assertKey(key: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw unprocessable('invalid_idempotency_key', 'Idempotency-Key must be 1 to 255 visible ASCII characters.')
}

/** By each of the keys, the present one first. */
export function digestsOf({ digestKeys = [] }: IdempotencyOptions, method: string, path: string, body: Buffer) {
  const hashes = digestKeys.length === 0 ? [createHash('sha256')] : digestKeys.map((key) => createHmac('sha256', key))
  return hashes.map((hash) => hash.update(`${method} ${path}\n`).update(body).digest('base64url'))
}

export async function beginIdempotent(pool: Pool, scope: IdempotencyScope, digests: readonly string[]): Promise<Begun> {
  const attemptId = v7()
  const where = [scope.projectId, scope.subject, scope.key]
  // A key released between the two statements is simply tried for again.
  for (let tries = 0; tries < 3; tries++) {
    const taken = await pool.query(takeKey, [...where, digests[0], attemptId])
    if (taken.rowCount === 1) return { kind: 'attempt', attempt: createAttempt(pool, [...where, attemptId]) }
    const stored = (await pool.query<StoredAnswer>(readKey, where)).rows[0]
    if (stored) return { kind: 'replay', reply: replayOf(stored, digests) }
  }
  throw conflict('idempotency_in_progress', 'A request with this Idempotency-Key is still in progress.')
}

interface StoredAnswer {
  digest: string
  status: number | null
  headers: Record<string, string> | null
  body: unknown
}

function replayOf(stored: StoredAnswer, digests: readonly string[]): JsonReply {
  if (!digests.includes(stored.digest)) {
    throw conflict('idempotency_conflict', 'This Idempotency-Key was used with another request.')
  }
  if (stored.status === null) {
    throw conflict('idempotency_in_progress', 'A request with this Idempotency-Key is still in progress.')
  }
  const headers = { ...stored.headers, 'idempotency-replayed': 'true' }
  return { status: stored.status, headers, ...(stored.body === null ? {} : { body: stored.body }) }
}

function createAttempt(pool: Pool, identity: readonly string[]): Attempt {
  let settled = false
  return {
    get settled() {
      return settled
    },
    async settle(tx, reply) {
      const headers = reply.headers ? JSON.stringify(reply.headers) : null
      const stored = await tx.query(storeAnswer, [...identity, reply.status, headers, storedBody(reply)])
      if (stored.rowCount !== 1) {
        throw conflict('idempotency_in_progress', 'Another request took over this Idempotency-Key.')
      }
      settled = true
    },
    async release() {
      await pool.query(releaseKey, [...identity])
    },
  }
}

function storedBody({ body, once }: JsonReply): string | null {
  if (body === undefined) return null
  if (!once || once.length === 0 || typeof body !== 'object' || body === null) return JSON.stringify(body)
  return JSON.stringify(Object.fromEntries(Object.entries(body).filter(([name]) => !once.includes(name))))
}

export async function purgeExpiredKeys(pool: Pool): Promise<void> {
  await pool.query(`
    delete from idempotency_keys where ctid in
      (select ctid from idempotency_keys where expires_at <= now() limit 5000)`)
}
