import type { MemberRole } from '@millrace/identity'
import type { Queryable } from '@millrace/postgres'

export interface ProjectRow {
  id: string
  slug: string
  name: string
  createdAt: Date
}

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
    `select p.id, p.slug, p.name, p.created_at as "createdAt", m.role
     from members m join projects p on p.id = m.project_id
     where m.user_id = $1 and ($2::uuid is null or p.id < $2)
     order by p.id desc limit $3`,
    [userId, page.beforeId ?? null, page.limit],
  )
  return rows
}

export async function findProject(db: Queryable, id: string): Promise<ProjectRow | undefined> {
  const { rows } = await db.query<ProjectRow>(
    `select id, slug, name, created_at as "createdAt" from projects where id = $1`,
    [id],
  )
  return rows[0]
}

/** Changes of members of one project go one after another, or two owners could each remove the other. */
export async function lockProject(db: Queryable, id: string): Promise<void> {
  await db.query('select 1 from projects where id = $1 for update', [id])
}
