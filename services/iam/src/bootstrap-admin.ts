import { randomBytes } from 'node:crypto'
import { recordAudit } from '@millrace/events'
import { withTransaction } from '@millrace/postgres'
import type { IamContext } from './context.js'
import { lockBootstrap, markBootstrapped } from './db/bootstrap.js'
import { weaknessOf } from './domain/password-rule.js'
import { createUserWithProject } from './http/create-user.js'

/** Makes the first administrator, once in the life of a database; later starts change nothing. */
export async function bootstrapAdmin(ctx: IamContext): Promise<void> {
  await withTransaction(ctx.pool, async (tx) => {
    const { done } = await lockBootstrap(tx)
    if (done) return
    const { email, password: given } = ctx.config.admin
    if (given !== undefined && weaknessOf(given) !== undefined) {
      ctx.logger.warn('MILLRACE_ADMIN_PASSWORD is weak; change it before anyone can reach this installation')
    }
    const password = given ?? randomBytes(18).toString('base64url')
    const passwordHash = await ctx.passwords.hash(password)
    const { user, project } = await createUserWithProject(tx, {
      email,
      name: 'Administrator',
      passwordHash,
      admin: true,
      emailVerified: true,
    })
    await markBootstrapped(tx, user.id)
    const target = `user:${user.id}`
    const facts = { projectId: project.id, actor: 'service:iam', action: 'user.bootstrapped', target }
    await recordAudit(tx, 'iam', { ...facts, ip: '', requestId: '' })
    // Before the commit: told twice after a crash is better than never told.
    await ctx.onAdminCreated({ email, generatedPassword: given === undefined ? password : undefined })
  })
}
