import type { Role } from '@millrace/identity'
import type { Queryable } from '@millrace/postgres'

export interface ServiceAccountRow {
  id: string
  name: string
  role: Role
  createdBy: string
  createdAt: Date
  /** The latest use of any of its keys. */
  lastUsedAt: Date | null
}

const columns = `a.id, a.name, a.role, a.created_by as "createdBy", a.created_at as "createdAt",
  (select max(k.last_used_at) from api_keys k where k.service_account_id = a.id) as "lastUsedAt"`

export interface NewServiceAccount {
  id: string
  projectId: string
  name: string
  role: Role
  createdBy: string
}

/** Answers undefined when the name is taken, without failing the transaction. */
export async function insertServiceAccount(
  db: Queryable,
  { id, projectId, name, role, createdBy }: NewServiceAccount,
): Promise<ServiceAccountRow | undefined> {
  const { rows } = await db.query<ServiceAccountRow>(
    `insert into service_accounts as a (id, project_id, name, role, created_by) values ($1, $2, $3, $4, $5)
     on conflict (project_id, name) where deleted_at is null do nothing returning ${columns}`,
    [id, projectId, name, role, createdBy],
  )
  return rows[0]
}

export async function findServiceAccount(
  db: Queryable,
  projectId: string,
  id: string,
): Promise<ServiceAccountRow | undefined> {
  const { rows } = await db.query<ServiceAccountRow>(
    `select ${columns} from service_accounts a where id = $2 and project_id = $1 and deleted_at is null`,
    [projectId, id],
  )
  return rows[0]
}

/** Newest first; ids are ordered by time. */
export async function listServiceAccounts(
  db: Queryable,
  projectId: string,
  page: { beforeId: string | undefined; limit: number },
): Promise<ServiceAccountRow[]> {
  const { rows } = await db.query<ServiceAccountRow>(
    `select ${columns} from service_accounts a
     where project_id = $1 and deleted_at is null and ($2::uuid is null or id < $2) order by id desc limit $3`,
    [projectId, page.beforeId ?? null, page.limit],
  )
  return rows
}

/** With its keys; answers the keys that were live until now, or undefined when there is no such account. */
export async function deleteServiceAccount(
  db: Queryable,
  projectId: string,
  id: string,
): Promise<string[] | undefined> {
  const { rowCount } = await db.query(
    'update service_accounts set deleted_at = now() where id = $2 and project_id = $1 and deleted_at is null',
    [projectId, id],
  )
  if (rowCount !== 1) return undefined
  const { rows } = await db.query<{ id: string }>(
    'update api_keys set revoked_at = now() where service_account_id = $1 and revoked_at is null returning id',
    [id],
  )
  return rows.map((row) => row.id)
}
