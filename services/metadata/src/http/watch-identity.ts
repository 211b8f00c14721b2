import { toAppError } from '@millrace/errors'
import type { RouteRequest } from '@millrace/http'
import type { AppContext } from '../context.js'

export interface IdentityWatch {
  /** Aborts when the caller goes away, the server stops, or the credential is no longer good. */
  signal: AbortSignal
  close(): void
}

/**
 * An open stream asks again whether its caller may still read. That takes the caller's own credential; where the
 * gateway does not pass it on, the signed identity of the beginning has to do. An iam that cannot be reached says
 * nothing about the credential.
 */
export function watchIdentity(ctx: Pick<AppContext, 'validateToken' | 'follow'>, req: RouteRequest): IdentityWatch {
  const { authorization } = req.headers
  if (authorization === undefined) return { signal: req.signal, close: () => undefined }
  const revoked = new AbortController()
  const project = req.headers['x-millrace-project']
  const check = async (): Promise<void> => {
    try {
      const now = await ctx.validateToken(authorization, typeof project === 'string' ? project : undefined)
      if (now.projectId !== req.identity.projectId || now.role === 'worker') revoked.abort()
    } catch (error) {
      if (['unauthenticated', 'permission_denied', 'not_found'].includes(toAppError(error).code)) revoked.abort()
    }
  }
  const timer = setInterval(() => void check(), ctx.follow.recheckMs)
  return { signal: AbortSignal.any([req.signal, revoked.signal]), close: () => clearInterval(timer) }
}
