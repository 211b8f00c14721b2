import type { RouteHandler } from '@millrace/http'
import { completeContent } from '../complete.js'
import type { AppContext } from '../context.js'
import { assertPending } from '../domain/artifact-errors.js'
import { receiveUpload } from '../receive-upload.js'
import { viewOf } from './artifact-view.js'
import { audit } from './audit.js'
import { requireArtifact } from './require-artifact.js'

/** Uploads and completes in one request. */
export function putContent(ctx: AppContext): RouteHandler {
  return async (req) => {
    const known = await requireArtifact(ctx, req)
    assertPending(known)
    const complete = await receiveUpload(ctx, known, req.raw, async (tx, { artifact, objectKey, content }) => {
      await audit(tx, req, 'artifact.completed', artifact)
      return await completeContent(tx, artifact, objectKey, content)
    })
    ctx.bus.hint()
    return { status: 200, body: viewOf(complete) }
  }
}
