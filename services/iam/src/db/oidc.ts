import type { MemberRole } from '@millrace/identity'
import type { Queryable } from '@millrace/postgres'

export interface ProviderSubject {
  issuer: string
  subject: string
}

export async function findLinkedUser(db: Queryable, who: ProviderSubject): Promise<string | undefined> {
  const { rows } = await db.query<{ userId: string }>(
    `update oidc_identities set last_login_at = now() where issuer = $1 and subject = $2 returning user_id as "userId"`,
    [who.issuer, who.subject],
  )
  return rows[0]?.userId
}

export async function linkUser(db: Queryable, who: ProviderSubject, userId: string): Promise<void> {
  await db.query('insert into oidc_identities (issuer, subject, user_id) values ($1, $2, $3)', [
    who.issuer,
    who.subject,
    userId,
  ])
}

export interface Grant {
  slug: string
  role: MemberRole
}

/** Adds and changes memberships of this provider; one that people made stays as they made it. Gives the projects changed. */
export async function grantMemberships(
  db: Queryable,
  userId: string,
  provider: string,
  grants: readonly Grant[],
): Promise<string[]> {
  const { rows } = await db.query<{ slug: string }>(
    `with granted as (
       insert into members as m (project_id, user_id, role, oidc_provider)
       select p.id, $1, g.role, $2 from unnest($3::text[], $4::text[]) as g (slug, role)
       join projects p on p.slug = g.slug and p.archived_at is null order by p.id
       on conflict (project_id, user_id) do update set role = excluded.role
         where m.oidc_provider = $2 and m.role <> excluded.role
       returning project_id)
     select p.slug from granted g join projects p on p.id = g.project_id`,
    [userId, provider, grants.map(({ slug }) => slug), grants.map(({ role }) => role)],
  )
  return rows.map(({ slug }) => slug)
}

/** Memberships of this provider that its groups no longer give. A project keeps its last owner. */
export async function revokeMemberships(
  db: Queryable,
  userId: string,
  provider: string,
  kept: readonly string[],
): Promise<string[]> {
  const { rows } = await db.query<{ slug: string }>(
    `with revoked as (
       delete from members m using projects p
       where p.id = m.project_id and m.user_id = $1 and m.oidc_provider = $2 and p.slug <> all ($3::text[])
         and (m.role <> 'owner' or exists (select 1 from members o
           where o.project_id = m.project_id and o.role = 'owner' and o.user_id <> m.user_id))
       returning p.slug)
     select slug from revoked`,
    [userId, provider, kept],
  )
  return rows.map(({ slug }) => slug)
}
