import type { Queryable } from '@millrace/postgres'

export type UserTokenPurpose = 'reset' | 'verify'

export interface NewOneTimeToken {
  hash: Buffer
  lifeMs: number
}

export async function insertUserToken(
  db: Queryable,
  purpose: UserTokenPurpose,
  userId: string,
  { hash, lifeMs }: NewOneTimeToken,
): Promise<void> {
  await db.query(
    `insert into one_time_tokens (hash, purpose, user_id, expires_at)
     values ($1, $2, $3, now() + make_interval(secs => $4 / 1000.0))`,
    [hash, purpose, userId, lifeMs],
  )
}

/** Lives exactly as long as its invitation. */
export async function insertInvitationToken(db: Queryable, invitationId: string, hash: Buffer): Promise<void> {
  await db.query(
    `insert into one_time_tokens (hash, purpose, invitation_id, expires_at)
     select $1, 'invitation', id, expires_at from invitations where id = $2`,
    [hash, invitationId],
  )
}

/** Mails of one kind to one user within the last hour. */
export async function countRecentUserTokens(db: Queryable, purpose: UserTokenPurpose, userId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from one_time_tokens
     where user_id = $1 and purpose = $2 and created_at > now() - interval '1 hour'`,
    [userId, purpose],
  )
  return rows[0]?.count ?? 0
}

/** Whose it is, without using it. */
export async function findUserToken(
  db: Queryable,
  purpose: UserTokenPurpose,
  hash: Buffer,
): Promise<{ userId: string } | undefined> {
  const { rows } = await db.query<{ userId: string }>(
    `select user_id as "userId" from one_time_tokens where hash = $1 and purpose = $2 and expires_at > now()`,
    [hash, purpose],
  )
  return rows[0]
}

/** Also of one that has expired. */
export async function findTokenOwner(
  db: Queryable,
  purpose: UserTokenPurpose,
  hash: Buffer,
): Promise<{ userId: string } | undefined> {
  const { rows } = await db.query<{ userId: string }>(
    `select user_id as "userId" from one_time_tokens where hash = $1 and purpose = $2`,
    [hash, purpose],
  )
  return rows[0]
}

/** Of two callers with one token, one is answered true: the row is gone for the other. */
export async function useUserToken(db: Queryable, purpose: UserTokenPurpose, hash: Buffer): Promise<boolean> {
  const { rowCount } = await db.query(
    `delete from one_time_tokens where hash = $1 and purpose = $2 and expires_at > now()`,
    [hash, purpose],
  )
  return rowCount === 1
}

export async function deleteUserTokens(db: Queryable, purpose: UserTokenPurpose, userId: string): Promise<void> {
  await db.query('delete from one_time_tokens where user_id = $1 and purpose = $2', [userId, purpose])
}

export async function deleteToken(db: Queryable, hash: Buffer): Promise<void> {
  await db.query('delete from one_time_tokens where hash = $1', [hash])
}

/** In slices. Kept an hour beyond their end: they count against how many mails one may ask for. */
export async function deleteExpiredTokens(db: Queryable): Promise<void> {
  await db.query(
    `delete from one_time_tokens where hash in
       (select hash from one_time_tokens where expires_at < now() - interval '1 hour' limit 1000)`,
  )
}
