import type { Role } from '@millrace/identity'
import type { Queryable } from '@millrace/postgres'

export interface ApiKeyRow {
  id: string
  name: string
  role: Role
  prefix: string
  serviceAccountId: string | null
  createdAt: Date
  expiresAt: Date | null
  /** True within a minute. */
  lastUsedAt: Date | null
}

const columns = `id, name, role, prefix, service_account_id as "serviceAccountId", created_at as "createdAt",
  expires_at as "expiresAt", last_used_at as "lastUsedAt"`

export interface NewApiKey {
  id: string
  projectId: string
  name: string
  role: Role
  prefix: string
  hash: Buffer
  createdBy: string
  serviceAccountId: string | null
  expiresAt: Date | null
}

export async function insertApiKey(db: Queryable, key: NewApiKey): Promise<ApiKeyRow | undefined> {
  const { rows } = await db.query<ApiKeyRow>(
    `insert into api_keys (id, project_id, name, role, prefix, hash, created_by, expires_at, service_account_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${columns}`,
    [
      key.id,
      key.projectId,
      key.name,
      key.role,
      key.prefix,
      key.hash,
      key.createdBy,
      key.expiresAt,
      key.serviceAccountId,
    ],
  )
  return rows[0]
}

/** Newest first; ids are ordered by time. */
export async function listApiKeys(
  db: Queryable,
  projectId: string,
  page: { beforeId: string | undefined; limit: number },
): Promise<ApiKeyRow[]> {
  const { rows } = await db.query<ApiKeyRow>(
    `select ${columns} from api_keys
     where project_id = $1 and revoked_at is null and ($2::uuid is null or id < $2) order by id desc limit $3`,
    [projectId, page.beforeId ?? null, page.limit],
  )
  return rows
}

export async function revokeApiKey(db: Queryable, projectId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'update api_keys set revoked_at = now() where id = $2 and project_id = $1 and revoked_at is null',
    [projectId, id],
  )
  return rowCount === 1
}

export async function findMaker(db: Queryable, keyId: string): Promise<string | undefined> {
  const { rows } = await db.query<{ makerId: string }>(`select created_by as "makerId" from api_keys where id = $1`, [
    keyId,
  ])
  return rows[0]?.makerId
}

/** Of replicas that each saw a use, the latest counts. */
export async function recordKeyUses(db: Queryable, uses: ReadonlyMap<string, number>): Promise<void> {
  await db.query(
    `update api_keys k set last_used_at = greatest(k.last_used_at, u.at)
     from unnest($1::uuid[], $2::timestamptz[]) as u (id, at) where k.id = u.id`,
    [[...uses.keys()], [...uses.values()].map((at) => new Date(at))],
  )
}
