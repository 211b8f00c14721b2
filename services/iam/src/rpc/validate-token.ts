import type { iam, iamServiceDefinition } from '@millrace/contracts'
import { AppError } from '@millrace/errors'
import type { HandlersOf } from '@millrace/grpc'
import type { Identity } from '@millrace/identity'
import type { IamContext } from '../context.js'
import { identityIn } from '../domain/credential.js'
import { principalOf } from '../security/credentials.js'

const reasons: Record<string, string> = {
  token_expired: 'expired',
  api_key_expired: 'expired',
  token_revoked: 'revoked',
  api_key_revoked: 'revoked',
  invalid_token: 'malformed',
  invalid_api_key: 'unknown',
  user_disabled: 'disabled',
}

function answer(identity: Identity): iam.ValidateTokenResponse {
  return {
    valid: true,
    userId: identity.userId ?? '',
    project: identity.project,
    projectId: identity.projectId,
    role: identity.role,
    admin: identity.admin,
    subject: identity.subject,
    expiresAt: new Date(identity.expiresAt * 1000).toISOString(),
  }
}

/** The service that asks knows from where; it is told no more than that the credential is not good. */
const refusalOf = ({ subject, projectId }: { subject: string; projectId: string }, { reason }: AppError) => ({
  ...{ actor: subject, projectId, target: `grpc:${reason}`, ip: '', requestId: '' },
})

export function validateToken(ctx: IamContext): HandlersOf<typeof iamServiceDefinition>['validateToken'] {
  return async ({ token, project }) => {
    const bearer = token.replace(/^bearer /i, '')
    try {
      const credential = await ctx.credentials.resolve(bearer)
      const identity = identityIn(credential, project === '' ? undefined : project)
      if (!identity) return { valid: false, reason: 'no_project' }
      return answer(identity)
    } catch (error) {
      // Anything else is a failure to find out, and says nothing about the token.
      if (!(error instanceof AppError) || error.code !== 'unauthenticated') throw error
      const who = principalOf(error)
      if (who) ctx.refusals.note(refusalOf(who, error))
      return { valid: false, reason: reasons[error.reason] ?? 'unknown' }
    }
  }
}
