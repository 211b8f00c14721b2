import type { MemberRole, Role } from '@millrace/identity'
import type { Queryable } from '@millrace/postgres'
import type { Membership } from '../domain/credential.js'

export interface UserFacts {
  email: string
  admin: boolean
  disabled: boolean
  defaultProjectId: string | null
  /** The login that the token comes from has not been ended. */
  familyAlive: boolean
  memberships: Membership[]
}

/** All that a user's token can mean, in one round trip. */
export async function findUserFacts(db: Queryable, userId: string, familyId: string): Promise<UserFacts | undefined> {
  const { rows } = await db.query<UserFacts>({
    name: 'iam-user-facts',
    text: `select u.email, u.admin, u.disabled, u.default_project_id as "defaultProjectId",
        exists (select 1 from refresh_families f
          where f.id = $2 and f.user_id = u.id and f.revoked_at is null and f.expires_at > now()) as "familyAlive",
        coalesce((select json_agg(json_build_object('projectId', p.id, 'slug', p.slug, 'role', m.role)
            order by m.created_at, p.id)
          from members m join projects p on p.id = m.project_id
          where m.user_id = u.id and p.archived_at is null), '[]') as memberships
      from users u where u.id = $1`,
    values: [userId, familyId],
  })
  return rows[0]
}

export interface KeyFacts {
  id: string
  makerId: string
  projectId: string
  slug: string
  role: Role
  expiresAt: Date | null
  expired: boolean
  revoked: boolean
  makerDisabled: boolean
  /** Null once the maker left the project. */
  makerRole: MemberRole | null
  /** Null for a person's key; such a key falls with its maker, the others with their account. */
  accountRole: Role | null
}

const keyFacts = `select k.id, k.created_by as "makerId", k.project_id as "projectId", p.slug, k.role,
        k.expires_at as "expiresAt", coalesce(k.expires_at <= now(), false) as expired,
        k.revoked_at is not null or p.archived_at is not null or a.deleted_at is not null as revoked,
        u.disabled as "makerDisabled", m.role as "makerRole", a.role as "accountRole"
      from api_keys k
      join projects p on p.id = k.project_id
      join users u on u.id = k.created_by
      left join service_accounts a on a.id = k.service_account_id
      left join members m on m.project_id = k.project_id and m.user_id = k.created_by`

export async function findKeyFacts(db: Queryable, hash: Buffer): Promise<KeyFacts | undefined> {
  const { rows } = await db.query<KeyFacts>({
    name: 'iam-key-facts',
    text: `${keyFacts} where k.hash = $1`,
    values: [hash],
  })
  return rows[0]
}

export const isUsable = ({ revoked, expired, makerDisabled, makerRole, accountRole }: KeyFacts): boolean =>
  !revoked && !expired && (accountRole !== null || (!makerDisabled && makerRole !== null))

/** Those of these keys that would be accepted now. */
export async function findUsableKeys(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<KeyFacts>({
    name: 'iam-usable-keys',
    text: `${keyFacts} where k.id = any($1::uuid[])`,
    values: [ids],
  })
  return new Set(rows.filter(isUsable).map(({ id }) => id))
}
