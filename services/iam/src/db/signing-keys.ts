import type { Queryable } from '@millrace/postgres'

export interface SigningKeyRow {
  kid: string
  publicPem: string
  privateSealed: Buffer
  createdAt: Date
  activeFrom: Date
  /** By the database's clock, as every replica must agree. */
  active: boolean
}

export async function listSigningKeys(db: Queryable): Promise<SigningKeyRow[]> {
  const { rows } = await db.query<SigningKeyRow>(
    `select kid, public_pem as "publicPem", private_sealed as "privateSealed", created_at as "createdAt",
            active_from as "activeFrom", active_from <= now() as active
     from signing_keys order by active_from desc, kid desc`,
  )
  return rows
}

export interface NewSigningKey {
  kid: string
  publicPem: string
  privateSealed: Buffer
  leadMs: number
}

export async function insertSigningKey(db: Queryable, key: NewSigningKey): Promise<void> {
  await db.query(
    `insert into signing_keys (kid, public_pem, private_sealed, active_from)
     values ($1, $2, $3, now() + make_interval(secs => $4 / 1000.0))`,
    [key.kid, key.publicPem, key.privateSealed, key.leadMs],
  )
}

export interface KeyAges {
  newest: string | null
  /** Milliseconds since the newest key was made; null without any. */
  newestAgeMs: number | null
}

/** Held to the end of the transaction: one replica rotates, the others then find nothing to do. */
export async function lockKeyAges(db: Queryable): Promise<KeyAges> {
  await db.query(`select pg_advisory_xact_lock(hashtext('millrace.iam.signing-keys'))`)
  const { rows } = await db.query<KeyAges>(
    `select kid as newest, extract(epoch from now() - created_at)::float8 * 1000 as "newestAgeMs"
     from signing_keys order by created_at desc, kid desc limit 1`,
  )
  return rows[0] ?? { newest: null, newestAgeMs: null }
}

/** A key goes once its successor has been in use for longer than anything it signed can live. */
export async function deleteRetiredKeys(db: Queryable, outliveMs: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from signing_keys k where exists (
       select 1 from signing_keys s
       where s.active_from > k.active_from and s.active_from < now() - make_interval(secs => $1 / 1000.0))`,
    [outliveMs],
  )
  return rowCount ?? 0
}

export async function replaceSealedKey(db: Queryable, kid: string, before: Buffer, next: Buffer): Promise<number> {
  const { rowCount } = await db.query(
    'update signing_keys set private_sealed = $3 where kid = $1 and private_sealed = $2',
    [kid, before, next],
  )
  return rowCount ?? 0
}
