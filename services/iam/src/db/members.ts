import type { MemberRole } from '@millrace/identity'
import type { Queryable } from '@millrace/postgres'

export interface MemberRow {
  userId: string
  email: string
  name: string | null
  role: MemberRole
  createdAt: Date
}

const columns = 'u.id as "userId", u.email, u.name, m.role, m.created_at as "createdAt"'

/** A role that a person gives no longer follows the groups of a provider. */
export async function upsertMember(db: Queryable, projectId: string, userId: string, role: MemberRole): Promise<void> {
  await db.query(
    `insert into members (project_id, user_id, role) values ($1, $2, $3)
     on conflict (project_id, user_id) do update set role = excluded.role, oidc_provider = null`,
    [projectId, userId, role],
  )
}

export async function deleteMember(db: Queryable, projectId: string, userId: string): Promise<boolean> {
  const { rowCount } = await db.query('delete from members where project_id = $1 and user_id = $2', [projectId, userId])
  return rowCount === 1
}

export async function findMember(db: Queryable, projectId: string, userId: string): Promise<MemberRow | undefined> {
  const { rows } = await db.query<MemberRow>(
    `select ${columns} from members m join users u on u.id = m.user_id where m.project_id = $1 and m.user_id = $2`,
    [projectId, userId],
  )
  return rows[0]
}

export async function listMembers(
  db: Queryable,
  projectId: string,
  page: { before: { at: string; id: string } | undefined; limit: number },
): Promise<MemberRow[]> {
  const { rows } = await db.query<MemberRow>(
    `select ${columns} from members m join users u on u.id = m.user_id
     where m.project_id = $1 and ($2::timestamptz is null or (m.created_at, m.user_id) < ($2, $3::uuid))
     order by m.created_at desc, m.user_id desc limit $4`,
    [projectId, page.before?.at ?? null, page.before?.id ?? null, page.limit],
  )
  return rows
}

export async function isMemberAddress(db: Queryable, projectId: string, email: string): Promise<boolean> {
  const { rows } = await db.query(
    'select 1 from members m join users u on u.id = m.user_id where m.project_id = $1 and u.email = $2',
    [projectId, email],
  )
  return rows.length > 0
}

export async function otherOwnerExists(db: Queryable, projectId: string, userId: string): Promise<boolean> {
  const { rows } = await db.query(
    `select 1 from members where project_id = $1 and role = 'owner' and user_id <> $2 limit 1`,
    [projectId, userId],
  )
  return rows.length > 0
}
