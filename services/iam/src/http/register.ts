import { conflict, permissionDenied } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import { isUniqueViolation } from '@millrace/postgres'
import type { IamContext } from '../context.js'
import { insertMailJob } from '../db/mail-jobs.js'
import { parseEmail } from '../domain/email.js'
import { assertStrongPassword } from '../domain/password-rule.js'
import { audit, mutate } from './audited.js'
import { createUserWithProject } from './create-user.js'
import { accountOfEmail, notingRefusals } from './open-refusals.js'

interface Body {
  email: string
  password: string
  name?: string
}

export function register(ctx: IamContext): RouteHandler {
  return notingRefusals(ctx, 'register', accountOfEmail, async (req) => {
    if (!ctx.config.openRegistration) {
      throw permissionDenied('registration_closed', 'Registration is closed; ask an administrator.')
    }
    ctx.addressLimit.take(req.ip)
    const { email: given, password, name } = req.body as Body
    const email = parseEmail(given)
    assertStrongPassword(password, '/password', email)
    const passwordHash = await ctx.passwords.hash(password)
    try {
      const body = await mutate(ctx, async (tx) => {
        const { user, project } = await createUserWithProject(tx, {
          email,
          name: name ?? null,
          passwordHash,
          admin: false,
          emailVerified: false,
        })
        await insertMailJob(tx, { kind: 'verify', address: email })
        const actor = `user:${user.id}`
        await audit(tx, req, { action: 'user.registered', target: actor, actor, projectId: project.id })
        return { user, project }
      })
      ctx.mail.wake()
      return { status: 201, body }
    } catch (error) {
      if (isUniqueViolation(error, 'users_email')) throw conflict('email_taken', 'This email address is registered.')
      throw error
    }
  })
}
