import type { Queryable } from '@millrace/postgres'

/** How the refresh token travels: one that was given in a cookie is good only from there, and the other way round. */
export type SessionKind = 'token' | 'cookie'

export interface NewFamily {
  id: string
  userId: string
  kind: SessionKind
  ip: string
  userAgent: string
  /** Until its first token ends. */
  lifeMs: number
  /** However often it is refreshed, it ends then. */
  sessionMs: number
}

export async function insertFamily(db: Queryable, family: NewFamily): Promise<void> {
  await db.query(
    `insert into refresh_families (id, user_id, kind, ip, user_agent, expires_at, ends_at)
     values ($1, $2, $3, $4, $5, now() + make_interval(secs => least($6::float8, $7::float8) / 1000.0),
       now() + make_interval(secs => $7::float8 / 1000.0))`,
    [family.id, family.userId, family.kind, family.ip, family.userAgent, family.lifeMs, family.sessionMs],
  )
}

/** The family lives as long as its newest token, and no token outlives the end of the session. */
export async function insertToken(db: Queryable, hash: Buffer, familyId: string, lifeMs: number): Promise<void> {
  await db.query(
    `with token as (
       insert into refresh_tokens (hash, family_id, expires_at)
       select $1, id, least(now() + make_interval(secs => $3 / 1000.0), ends_at) from refresh_families where id = $2
       returning expires_at)
     update refresh_families set expires_at = token.expires_at, last_used_at = now() from token where id = $2`,
    [hash, familyId, lifeMs],
  )
}

export interface ShownToken {
  familyId: string
  kind: SessionKind
  userId: string
  used: boolean
  expired: boolean
  revoked: boolean
  disabled: boolean
  emailVerified: boolean
  defaultProjectId: string | null
}

/** Locks the family: of two callers with one token the second finds it used. */
export async function lockToken(db: Queryable, hash: Buffer): Promise<ShownToken | undefined> {
  const family = await db.query<{ id: string }>(
    `select f.id from refresh_families f
     where f.id = (select family_id from refresh_tokens where hash = $1) for update`,
    [hash],
  )
  if (family.rows[0] === undefined) return undefined
  const { rows } = await db.query<ShownToken>(
    `select f.id as "familyId", f.kind, f.user_id as "userId", t.used_at is not null as used, t.expires_at <= now() as expired,
            f.revoked_at is not null as revoked, u.disabled,
            u.email_verified_at is not null as "emailVerified", u.default_project_id as "defaultProjectId"
     from refresh_tokens t join refresh_families f on f.id = t.family_id join users u on u.id = f.user_id
     where t.hash = $1`,
    [hash],
  )
  return rows[0]
}

export async function markUsed(db: Queryable, hash: Buffer): Promise<void> {
  await db.query('update refresh_tokens set used_at = now() where hash = $1', [hash])
}

export async function revokeFamily(db: Queryable, id: string, because: string): Promise<void> {
  await db.query(
    'update refresh_families set revoked_at = now(), revoked_because = $2 where id = $1 and revoked_at is null',
    [id, because],
  )
}

/** Ends every login of a user, but one if it is given. */
export async function revokeFamiliesOf(
  db: Queryable,
  userId: string,
  but: string | null,
  because: string,
): Promise<void> {
  await db.query(
    `update refresh_families set revoked_at = now(), revoked_because = $3
     where user_id = $1 and revoked_at is null and ($2::uuid is null or id <> $2)`,
    [userId, but, because],
  )
}

/** In slices; families that ended a while ago tell nothing any more. */
export async function deleteExpiredFamilies(db: Queryable): Promise<void> {
  await db.query(
    `delete from refresh_families where id in
       (select id from refresh_families where expires_at < now() - interval '1 day' limit 1000)`,
  )
}

export interface SessionRow {
  id: string
  kind: SessionKind
  ip: string
  userAgent: string
  createdAt: Date
  lastUsedAt: Date
  expiresAt: Date
}

/** Live ones, newest first; ids are ordered by time. */
export async function listSessions(
  db: Queryable,
  userId: string,
  page: { beforeId: string | undefined; limit: number },
): Promise<SessionRow[]> {
  const { rows } = await db.query<SessionRow>(
    `select id, kind, ip, user_agent as "userAgent", created_at as "createdAt", last_used_at as "lastUsedAt",
            expires_at as "expiresAt"
     from refresh_families
     where user_id = $1 and revoked_at is null and expires_at > now() and ($2::uuid is null or id < $2)
     order by id desc limit $3`,
    [userId, page.beforeId ?? null, page.limit],
  )
  return rows
}

/** Answers false when the user has no such live session. */
export async function revokeSession(db: Queryable, userId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update refresh_families set revoked_at = now(), revoked_because = 'revoked by its user'
     where id = $2 and user_id = $1 and revoked_at is null and expires_at > now()`,
    [userId, id],
  )
  return rowCount === 1
}
