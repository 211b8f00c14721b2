export const roles = ['viewer', 'operator', 'editor', 'owner', 'worker'] as const
export type Role = (typeof roles)[number]

/** Roles of people, lowest first; each allows what those before it allow. `worker` stands outside this order. */
export const memberRoles = ['viewer', 'operator', 'editor', 'owner'] as const
export type MemberRole = (typeof memberRoles)[number]

export interface Identity {
  /** `user:<id>`, `key:<id>` or `service:<name>`. */
  subject: string
  userId?: string
  email?: string
  /** The login that a user's token comes from. */
  sessionId?: string
  projectId: string
  /** The project's slug. */
  project: string
  role: Role
  /** Platform-wide administrator. */
  admin: boolean
  /** Epoch seconds. */
  expiresAt: number
}

export const IDENTITY_HEADER = 'x-millrace-identity'

export const isRole = (value: unknown): value is Role => roles.some((role) => role === value)

export const isMemberRole = (value: unknown): value is MemberRole => memberRoles.some((role) => role === value)

const rank: Record<Role, number> = { worker: 0, viewer: 1, operator: 2, editor: 3, owner: 4 }

/** `worker` is for machines that lease and report: it allows none of what people's roles allow. */
export function roleAllows(role: Role, needed: MemberRole): boolean {
  return rank[role] >= rank[needed]
}
