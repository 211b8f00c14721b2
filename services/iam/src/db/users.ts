import type { Queryable } from '@millrace/postgres'

export interface UserRow {
  id: string
  email: string
  name: string | null
  admin: boolean
  disabled: boolean
  emailVerified: boolean
  createdAt: Date
}

const columns =
  'id, email, name, admin, disabled, email_verified_at is not null as "emailVerified", created_at as "createdAt"'

export interface NewUser {
  id: string
  email: string
  name: string | null
  passwordHash: string
  admin: boolean
  emailVerified: boolean
  defaultProjectId: string
}

export async function insertUser(db: Queryable, user: NewUser): Promise<void> {
  await db.query(
    `insert into users (id, email, name, password_hash, admin, default_project_id, email_verified_at)
     values ($1, $2, $3, $4, $5, $6, case when $7 then now() end)`,
    [user.id, user.email, user.name, user.passwordHash, user.admin, user.defaultProjectId, user.emailVerified],
  )
}

export async function findUser(db: Queryable, id: string): Promise<UserRow | undefined> {
  const { rows } = await db.query<UserRow>(`select ${columns} from users where id = $1`, [id])
  return rows[0]
}

export async function findUserByEmail(db: Queryable, email: string): Promise<UserRow | undefined> {
  const { rows } = await db.query<UserRow>(`select ${columns} from users where email = $1`, [email])
  return rows[0]
}

export interface LoginRow {
  id: string
  email: string
  emailVerified: boolean
  passwordHash: string
  disabled: boolean
  defaultProjectId: string | null
}

const loginColumns = `id, email, password_hash as "passwordHash", disabled, email_verified_at is not null as "emailVerified",
  default_project_id as "defaultProjectId"`

export async function findLogin(db: Queryable, email: string): Promise<LoginRow | undefined> {
  const { rows } = await db.query<LoginRow>(`select ${loginColumns} from users where email = $1`, [email])
  return rows[0]
}

export async function findLoginById(db: Queryable, id: string): Promise<LoginRow | undefined> {
  const { rows } = await db.query<LoginRow>(`select ${loginColumns} from users where id = $1`, [id])
  return rows[0]
}

/** Answers false when the password was changed by someone else since `previousHash` was read. */
export async function replacePasswordHash(
  db: Queryable,
  id: string,
  previousHash: string,
  passwordHash: string,
): Promise<boolean> {
  const { rowCount } = await db.query(`update users set password_hash = $3 where id = $1 and password_hash = $2`, [
    id,
    previousHash,
    passwordHash,
  ])
  return rowCount === 1
}

/** Answers false when it was verified before. */
export async function markEmailVerified(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'update users set email_verified_at = now() where id = $1 and email_verified_at is null',
    [id],
  )
  return rowCount === 1
}

/** Newest first; ids are ordered by time. */
export async function listUsers(
  db: Queryable,
  filter: { q: string | undefined; beforeId: string | undefined; limit: number },
): Promise<UserRow[]> {
  const { rows } = await db.query<UserRow>(
    `select ${columns} from users
     where ($1::text is null or position(lower($1) in email) > 0 or position(lower($1) in lower(name)) > 0)
       and ($2::uuid is null or id < $2)
     order by id desc limit $3`,
    [filter.q ?? null, filter.beforeId ?? null, filter.limit],
  )
  return rows
}

/** Locks all administrators, so that two of them cannot each remove the other at once. */
export async function lockAdmins(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from users where admin and not disabled order by id for update`,
  )
  return rows.map((row) => row.id)
}

export async function updateUser(
  db: Queryable,
  id: string,
  change: { disabled: boolean | undefined; admin: boolean | undefined },
): Promise<UserRow | undefined> {
  const { rows } = await db.query<UserRow>(
    `update users set disabled = coalesce($2, disabled), admin = coalesce($3, admin) where id = $1 returning ${columns}`,
    [id, change.disabled ?? null, change.admin ?? null],
  )
  return rows[0]
}
