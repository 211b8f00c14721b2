import { AppError, toAppError, unauthenticated, unavailable } from '@millrace/errors'
import { authenticate, first, type PublicAuth, type ServerAuth } from './authenticate.js'
import type { ServerCallContext } from './call-context.js'

/** An unreachable iam says nothing about the identity; the stream outlives a short outage and no longer one. */
const TOLERATED_OUTAGES = 3

/**
 * An open stream asks again, every `intervalMs`, whether its caller is still who it was when it began. Any change of
 * project or role ends it too, since what was allowed at the beginning may not be now.
 */
export function recheckIdentity(
  auth: PublicAuth,
  ctx: ServerCallContext,
  intervalMs: number,
  end: (error: AppError) => void,
): () => void {
  const began = ctx.identity
  const authorization = first(ctx.metadata, 'authorization')
  if (began === undefined || authorization === undefined) return () => {}
  const project = first(ctx.metadata, 'x-millrace-project')
  let outages = 0
  let checking = false

  async function check(): Promise<void> {
    try {
      const now = await auth.validate(authorization ?? '', project)
      outages = 0
      if (now.subject !== began?.subject || now.projectId !== began.projectId || now.role !== began.role) {
        end(unauthenticated('identity_changed', 'The identity of this stream changed; open it again.'))
      }
    } catch (error) {
      const app = toAppError(error)
      const refused = app.code === 'unauthenticated' || app.code === 'permission_denied' || app.code === 'not_found'
      if (refused) end(new AppError('unauthenticated', app.reason, app.message))
      else if (++outages >= TOLERATED_OUTAGES) {
        end(unavailable('identity_unavailable', 'The identity of this stream can no longer be checked.', error))
      }
    }
  }

  const timer = setInterval(() => {
    if (checking) return
    checking = true
    void check().finally(() => {
      checking = false
    })
  }, intervalMs)
  timer.unref()
  return () => clearInterval(timer)
}

const SERVICE_RECHECK_MS = 5_000

/** The same for a service: its token must still be good, and its right to call the method still there. */
export function recheckService(
  auth: ServerAuth,
  ctx: ServerCallContext,
  path: string,
  end: (error: AppError) => void,
): () => void {
  const timer = setInterval(() => {
    try {
      // Of a service it is known at once.
      void authenticate(auth, ctx, path)
    } catch (error) {
      end(toAppError(error))
    }
  }, SERVICE_RECHECK_MS)
  timer.unref()
  return () => clearInterval(timer)
}
