import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { findByObjectKey } from '../db/find-artifact.js'
import { artifactNotFound, assertComplete } from '../domain/artifact-errors.js'
import { sendContent } from './send-content.js'
import { grantOf } from './signed-grant.js'

export function getSigned(ctx: AppContext): RouteHandler {
  return async (req) => {
    const grant = grantOf(ctx, 'GET', req.params.token)
    const artifact = await findByObjectKey(ctx.pool, grant.key)
    if (artifact === undefined) throw artifactNotFound()
    return sendContent(ctx, req, assertComplete(artifact))
  }
}
