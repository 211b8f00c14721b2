import { type AppError, notFound } from '@millrace/errors'
import type { Identity, MemberRole, Role } from '@millrace/identity'

export interface Membership {
  projectId: string
  slug: string
  role: MemberRole
}

export interface UserCredential {
  kind: 'user'
  subject: string
  userId: string
  email: string
  sessionId: string
  admin: boolean
  /** Oldest first. */
  memberships: readonly Membership[]
  defaultProjectId: string | null
  /** Epoch seconds. */
  expiresAt: number
}

export interface KeyCredential {
  kind: 'key'
  subject: string
  keyId: string
  /** Who made it; the key falls with them. */
  makerId: string
  projectId: string
  slug: string
  role: Role
  expiresAt: number
}

export type Credential = UserCredential | KeyCredential

/** Stands for "no project": no row anywhere carries it. */
export const NO_PROJECT = '00000000-0000-0000-0000-000000000000'

export const noSuchProject = (): AppError => notFound('project_not_found', 'There is no such project.')

/** The identity in the project asked for by slug, else in the default one; undefined when the caller is not in it. */
export function identityIn(credential: Credential, slug: string | undefined): Identity | undefined {
  if (credential.kind === 'key') {
    if (slug !== undefined && slug !== credential.slug) return undefined
    const { subject, projectId, role, expiresAt } = credential
    return { subject, projectId, project: credential.slug, role, admin: false, expiresAt }
  }
  const membership = membershipOf(credential, slug)
  return membership && userIdentity(credential, membership)
}

function membershipOf(credential: UserCredential, slug: string | undefined): Membership | undefined {
  const { memberships, defaultProjectId } = credential
  if (slug !== undefined) return memberships.find((membership) => membership.slug === slug)
  return memberships.find(({ projectId }) => projectId === defaultProjectId) ?? memberships[0]
}

function userIdentity(credential: UserCredential, membership: Membership): Identity {
  const { subject, userId, email, sessionId, admin, expiresAt } = credential
  return {
    subject,
    userId,
    email,
    sessionId,
    projectId: membership.projectId,
    project: membership.slug,
    role: membership.role,
    admin,
    expiresAt,
  }
}

/** For a user who is in no project, where none is needed. */
export function identityWithoutProject(credential: UserCredential): Identity {
  return userIdentity(credential, { projectId: NO_PROJECT, slug: '', role: 'viewer' })
}
