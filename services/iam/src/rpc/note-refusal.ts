import type { AppError } from '@millrace/errors'
import type { RouteMatch } from '@millrace/routes'
import type { IamContext } from '../context.js'
import { type Credential, identityIn } from '../domain/credential.js'
import { principalOf } from '../security/credentials.js'
import type { Asked } from './check.js'

/** What a check found out before it refused. */
export interface Known {
  operation: string
  match?: RouteMatch | undefined
  credential?: Credential
}

const recorded: ReadonlySet<string> = new Set(['permission_denied', 'rate_limited', 'unauthenticated'])

interface Caller {
  actor: string
  projectId: string
  role?: string
}

/** In the project that was asked for, so that its owners see it; else in none. */
function callerOf(
  { credential, match }: Known,
  headers: Record<string, string>,
  refusal: AppError,
): Caller | undefined {
  if (!credential) {
    const who = principalOf(refusal)
    return who && { actor: who.subject, projectId: who.projectId }
  }
  const param = match?.route.projectParam
  const slug = (param === undefined ? undefined : match?.params[param]) ?? (headers['x-millrace-project'] || undefined)
  const identity = identityIn(credential, slug)
  return identity
    ? { actor: credential.subject, projectId: identity.projectId, role: identity.role }
    : { actor: credential.subject, projectId: '' }
}

/** Refusals of strangers are counted in metrics alone: anybody can make as many as they like. */
export function noteRefusal(ctx: IamContext, { headers, requestId }: Asked, known: Known, refusal: AppError): void {
  if (!recorded.has(refusal.code)) return
  const caller = callerOf(known, headers, refusal)
  if (!caller) return
  const ip = (headers['x-forwarded-for'] ?? '').split(',').at(-1)?.trim() ?? ''
  ctx.refusals.note({ ...caller, target: `${known.operation}:${refusal.reason}`, ip, requestId })
}
