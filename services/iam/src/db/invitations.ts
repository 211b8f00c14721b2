import type { MemberRole } from '@millrace/identity'
import type { Queryable } from '@millrace/postgres'

export interface InvitationRow {
  id: string
  email: string
  role: MemberRole
  invitedBy: string
  createdAt: Date
  expiresAt: Date
}

const columns = `i.id, i.email, i.role, i.invited_by as "invitedBy", i.created_at as "createdAt", i.expires_at as "expiresAt"`
const isOpen = 'i.accepted_at is null and i.revoked_at is null'

export interface NewInvitation {
  id: string
  projectId: string
  email: string
  role: MemberRole
  invitedBy: string
  lifeMs: number
}

/** The caller holds the project's lock and has revoked an open invitation of the same address. */
export async function insertInvitation(db: Queryable, invitation: NewInvitation): Promise<InvitationRow | undefined> {
  const { rows } = await db.query<InvitationRow>(
    `insert into invitations as i (id, project_id, email, role, invited_by, expires_at)
     values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6 / 1000.0)) returning ${columns}`,
    [invitation.id, invitation.projectId, invitation.email, invitation.role, invitation.invitedBy, invitation.lifeMs],
  )
  return rows[0]
}

export async function countOpenInvitations(db: Queryable, projectId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from invitations i where project_id = $1 and ${isOpen} and expires_at > now()`,
    [projectId],
  )
  return rows[0]?.count ?? 0
}

/** Newest first; ids are ordered by time. */
export async function listInvitations(
  db: Queryable,
  projectId: string,
  page: { beforeId: string | undefined; limit: number },
): Promise<InvitationRow[]> {
  const { rows } = await db.query<InvitationRow>(
    `select ${columns} from invitations i
     where project_id = $1 and ${isOpen} and ($2::uuid is null or id < $2) order by id desc limit $3`,
    [projectId, page.beforeId ?? null, page.limit],
  )
  return rows
}

export async function revokeInvitation(db: Queryable, projectId: string, id: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `update invitations i set revoked_at = now() where id = $2 and project_id = $1 and ${isOpen}`,
    [projectId, id],
  )
  return rowCount === 1
}

export async function revokeInvitationOf(db: Queryable, projectId: string, email: string): Promise<void> {
  await db.query(`update invitations i set revoked_at = now() where project_id = $1 and email = $2 and ${isOpen}`, [
    projectId,
    email,
  ])
}

export interface ShownInvitation {
  id: string
  email: string
  role: MemberRole
  projectId: string
  slug: string
  projectName: string
}

const shownColumns = `i.id, i.email, i.role, p.id as "projectId", p.slug, p.name as "projectName"`
const usable = `${isOpen} and i.expires_at > now() and p.archived_at is null`

/** Locked: of two who show one token, the second finds it used. */
export async function lockInvitationByToken(db: Queryable, hash: Buffer): Promise<ShownInvitation | undefined> {
  const { rows } = await db.query<ShownInvitation>(
    `select ${shownColumns} from one_time_tokens t
       join invitations i on i.id = t.invitation_id join projects p on p.id = i.project_id
     where t.hash = $1 and ${usable} for update of i`,
    [hash],
  )
  return rows[0]
}

/** What its mail says; undefined once it cannot be accepted any more. */
export async function findInvitation(db: Queryable, id: string): Promise<ShownInvitation | undefined> {
  const { rows } = await db.query<ShownInvitation>(
    `select ${shownColumns} from invitations i join projects p on p.id = i.project_id where i.id = $1 and ${usable}`,
    [id],
  )
  return rows[0]
}

export async function markAccepted(db: Queryable, id: string): Promise<void> {
  await db.query('update invitations set accepted_at = now() where id = $1', [id])
}
