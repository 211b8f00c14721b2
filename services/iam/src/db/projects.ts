import type { MemberRole } from '@millrace/identity'
import type { Queryable } from '@millrace/postgres'
import { noSuchProject } from '../domain/credential.js'
import type { Quotas } from '../domain/quotas.js'

/** Such as `30d`; 0 for ever; or bounds by age and number. */
export type Retention = string | 0 | { age?: string; runs?: number }

export interface ProjectRow {
  id: string
  slug: string
  name: string
  /** How long runs are kept; null for the platform's default. */
  retention: Retention | null
  /** Only what was changed. */
  quotas: Partial<Quotas>
  createdAt: Date
}

const columns = 'p.id, p.slug, p.name, p.retention, p.quotas, p.created_at as "createdAt"'

export interface NewProject {
  id: string
  slug: string
  name: string
  createdBy: string
}

/** Answers false when the slug is taken, without failing the transaction. */
export async function insertProject(db: Queryable, project: NewProject): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into projects (id, slug, name, created_by) values ($1, $2, $3, $4) on conflict (slug) do nothing`,
    [project.id, project.slug, project.name, project.createdBy],
  )
  return rowCount === 1
}

/** Locks the user: of two that are created at once, the second counts the first. */
export async function countProjectsBy(db: Queryable, userId: string): Promise<number> {
  await db.query('select 1 from users where id = $1 for no key update', [userId])
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from projects where created_by = $1 and archived_at is null',
    [userId],
  )
  return rows[0]?.count ?? 0
}

export interface MemberProjectRow extends ProjectRow {
  role: MemberRole
}

/** Newest first; ids are ordered by time. */
export async function listProjectsOf(
  db: Queryable,
  userId: string,
  page: { beforeId: string | undefined; limit: number },
): Promise<MemberProjectRow[]> {
  const { rows } = await db.query<MemberProjectRow>(
    `select ${columns}, m.role
     from members m join projects p on p.id = m.project_id
     where m.user_id = $1 and p.archived_at is null and ($2::uuid is null or p.id < $2)
     order by p.id desc limit $3`,
    [userId, page.beforeId ?? null, page.limit],
  )
  return rows
}

/** Of the whole platform, newest first. */
export async function listAllProjects(
  db: Queryable,
  filter: { q: string | undefined; beforeId: string | undefined; limit: number },
): Promise<ProjectRow[]> {
  const { rows } = await db.query<ProjectRow>(
    `select ${columns} from projects p
     where p.archived_at is null and ($2::uuid is null or p.id < $2)
       and ($1::text is null or position(lower($1) in p.slug) > 0 or position(lower($1) in lower(p.name)) > 0)
     order by p.id desc limit $3`,
    [filter.q ?? null, filter.beforeId ?? null, filter.limit],
  )
  return rows
}

export async function findProject(db: Queryable, id: string): Promise<ProjectRow | undefined> {
  const { rows } = await db.query<ProjectRow>(
    `select ${columns} from projects p where id = $1 and archived_at is null`,
    [id],
  )
  return rows[0]
}

export async function findProjectBySlug(db: Queryable, slug: string): Promise<ProjectRow | undefined> {
  const { rows } = await db.query<ProjectRow>(
    `select ${columns} from projects p where slug = $1 and archived_at is null`,
    [slug],
  )
  return rows[0]
}

export async function updateProject(
  db: Queryable,
  id: string,
  { name, retention, quotas }: Pick<ProjectRow, 'name' | 'retention' | 'quotas'>,
): Promise<void> {
  await db.query(
    `update projects set name = $2, retention = $3, quotas = $4::json,
       quotas_revision = quotas_revision + (quotas::text <> ($4::json)::text)::int where id = $1`,
    [id, name, retention === null ? null : JSON.stringify(retention), JSON.stringify(quotas)],
  )
}

/** Answers false when it was archived before. */
export async function archiveProject(db: Queryable, id: string): Promise<boolean> {
  const { rowCount } = await db.query('update projects set archived_at = now() where id = $1 and archived_at is null', [
    id,
  ])
  return rowCount === 1
}

/** Changes of members of one project go one after another, or two owners could each remove the other. */
export async function lockProject(db: Queryable, id: string): Promise<void> {
  const { rows } = await db.query('select 1 from projects where id = $1 and archived_at is null for update', [id])
  if (rows.length === 0) throw noSuchProject()
}
