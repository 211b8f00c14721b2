import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { assertComplete } from '../domain/artifact-errors.js'
import { audit } from './audit.js'
import { requireArtifact } from './require-artifact.js'

export function presignArtifact(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { expiresIn } = req.body as { expiresIn: number }
    const artifact = assertComplete(await requireArtifact(ctx, req))
    const signed = await ctx.store.presignGet(artifact.objectKey, {
      expiresInSeconds: expiresIn,
      filename: artifact.name,
      contentType: artifact.contentType,
    })
    // Handing out access is worth a line in the audit log, though nothing changes here.
    await audit(ctx.pool, req, 'artifact.presigned', artifact)
    ctx.bus.hint()
    return {
      status: 200,
      body: { url: signed.url, method: signed.method, expiresAt: signed.expiresAt.toISOString() },
    }
  }
}
