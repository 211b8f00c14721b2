import type { Queryable } from '@millrace/postgres'
import type { SealedSecret, SecretAddress } from '../security/secret-vault.js'

/** Everything about a secret but its value. */
export interface SecretRow {
  name: string
  createdAt: Date
  updatedAt: Date
  updatedBy: string
}

const columns = 'name, created_at as "createdAt", updated_at as "updatedAt", updated_by as "updatedBy"'

export async function putSecret(
  db: Queryable,
  { projectId, name }: SecretAddress,
  { wrappedKey, sealed }: SealedSecret,
  by: string,
): Promise<SecretRow | undefined> {
  const { rows } = await db.query<SecretRow>(
    `insert into secrets (project_id, name, wrapped_key, sealed, updated_by) values ($1, $2, $3, $4, $5)
     on conflict (project_id, name) do update set
       wrapped_key = excluded.wrapped_key, sealed = excluded.sealed, updated_at = now(), updated_by = excluded.updated_by
     returning ${columns}`,
    [projectId, name, wrappedKey, sealed, by],
  )
  return rows[0]
}

export async function deleteSecret(db: Queryable, { projectId, name }: SecretAddress): Promise<boolean> {
  const { rowCount } = await db.query('delete from secrets where project_id = $1 and name = $2', [projectId, name])
  return rowCount === 1
}

/** By name, in byte order, whatever the database's collation. */
export async function listSecrets(
  db: Queryable,
  projectId: string,
  page: { afterName: string | undefined; limit: number },
): Promise<SecretRow[]> {
  const { rows } = await db.query<SecretRow>(
    `select ${columns} from secrets
     where project_id = $1 and ($2::text is null or name collate "C" > $2) order by name collate "C" limit $3`,
    [projectId, page.afterName ?? null, page.limit],
  )
  return rows
}

export async function findSecrets(
  db: Queryable,
  projectId: string,
  names: readonly string[],
): Promise<({ name: string } & SealedSecret)[]> {
  const { rows } = await db.query<{ name: string } & SealedSecret>(
    `select name, wrapped_key as "wrappedKey", sealed from secrets where project_id = $1 and name = any($2::text[])`,
    [projectId, names],
  )
  return rows
}

export type WrappedKeyRow = SecretAddress & Pick<SealedSecret, 'wrappedKey'>

/** Of all projects, in the order of the primary key. */
export async function listWrappedKeys(db: Queryable, after: SecretAddress, limit: number): Promise<WrappedKeyRow[]> {
  const { rows } = await db.query<WrappedKeyRow>(
    `select project_id as "projectId", name, wrapped_key as "wrappedKey" from secrets
     where (project_id::text, name collate "C") > ($1, $2) order by project_id::text, name collate "C" limit $3`,
    [after.projectId, after.name, limit],
  )
  return rows
}

/** Unless somebody wrote the secret meanwhile. */
export async function replaceWrappedKey(
  db: Queryable,
  { projectId, name }: SecretAddress,
  before: Buffer,
  next: Buffer,
): Promise<number> {
  const { rowCount } = await db.query(
    'update secrets set wrapped_key = $4 where project_id = $1 and name = $2 and wrapped_key = $3',
    [projectId, name, before, next],
  )
  return rowCount ?? 0
}
