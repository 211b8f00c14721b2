import type { SignedGrant } from '@millrace/object-store'
import type { AppContext } from '../context.js'
import { artifactNotFound } from '../domain/artifact-errors.js'

/** A store with a server of its own answers its signed URLs itself. */
export function grantOf(ctx: AppContext, method: 'GET' | 'PUT', token = ''): SignedGrant {
  if (ctx.store.verifySignedToken === undefined) throw artifactNotFound()
  return ctx.store.verifySignedToken(method, token)
}
