import type { RouteHandler, RouteReply, RouteRequest } from '@millrace/http'
import type { SignedGrant } from '@millrace/object-store'
import type { AppContext } from '../context.js'
import { findByPartsKey, findByUploadKey } from '../db/find-artifact.js'
import { artifactNotFound, assertPending } from '../domain/artifact-errors.js'
import { receiveUpload } from '../receive-upload.js'
import { grantOf } from './signed-grant.js'

/** Takes the content; whoever announced the artifact completes it. May be repeated until then. */
export function putSigned(ctx: AppContext): RouteHandler {
  return async (req) => {
    const grant = grantOf(ctx, 'PUT', req.params.token)
    if (grant.part !== undefined) return await receivePart(ctx, req, grant, grant.part)
    const artifact = await findByUploadKey(ctx.pool, grant.key)
    if (artifact === undefined) throw artifactNotFound()
    assertPending(artifact)
    const content = await receiveUpload(ctx, artifact, req.raw, async (_tx, received) => received.content)
    return { status: 200, body: content }
  }
}

/** As S3 answers it: the ETag names what was stored. */
async function receivePart(
  ctx: AppContext,
  { raw: { req, res } }: RouteRequest,
  { key, maxBytes }: SignedGrant,
  number: number,
): Promise<RouteReply> {
  const artifact = await findByPartsKey(ctx.pool, key)
  if (artifact === undefined || ctx.store.putPart === undefined) throw artifactNotFound()
  assertPending(artifact)
  req.setTimeout(ctx.limits.uploadIdleMs, () => req.destroy())
  try {
    const { size, etag } = await ctx.store.putPart(key, number, req, maxBytes)
    return { status: 200, headers: { etag: `"${etag}"` }, body: { size, sha256: etag } }
  } catch (error) {
    // The rest of a refused body is not worth reading.
    if (!res.headersSent) res.setHeader('connection', 'close')
    throw error
  } finally {
    req.setTimeout(0)
  }
}
