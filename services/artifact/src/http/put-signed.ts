import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { findByUploadKey } from '../db/find-artifact.js'
import { artifactNotFound, assertPending } from '../domain/artifact-errors.js'
import { receiveUpload } from '../receive-upload.js'
import { grantOf } from './signed-grant.js'

/** Takes the content; whoever announced the artifact completes it. May be repeated until then. */
export function putSigned(ctx: AppContext): RouteHandler {
  return async (req) => {
    const grant = grantOf(ctx, 'PUT', req.params.token)
    const artifact = await findByUploadKey(ctx.pool, grant.key)
    if (artifact === undefined) throw artifactNotFound()
    assertPending(artifact)
    const content = await receiveUpload(ctx, artifact, req.raw, async (_tx, received) => received.content)
    return { status: 200, body: content }
  }
}
