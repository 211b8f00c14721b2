import type { Tx } from '@millrace/postgres'
import { v7 } from 'uuid'
import { upsertMember } from '../db/members.js'
import { insertProject } from '../db/projects.js'
import { insertUser } from '../db/users.js'
import { slugFromEmail, withSuffix } from '../domain/slug.js'

export interface NewAccount {
  email: string
  name: string | null
  passwordHash: string
  admin: boolean
  emailVerified: boolean
}

export interface CreatedAccount {
  user: { id: string; email: string; name: string | null }
  project: { id: string; slug: string; name: string }
}

/** Every user has a project of their own from the beginning. */
export async function createUserWithProject(tx: Tx, account: NewAccount): Promise<CreatedAccount> {
  const { email, name } = account
  const user = { id: v7(), email, name }
  const project = { id: v7(), slug: slugFromEmail(email), name: name ?? slugFromEmail(email) }
  await insertUser(tx, { ...account, id: user.id, defaultProjectId: project.id })
  while (!(await insertProject(tx, { ...project, createdBy: user.id }))) {
    project.slug = withSuffix(slugFromEmail(email))
  }
  await upsertMember(tx, project.id, user.id, 'owner')
  return { user, project }
}
