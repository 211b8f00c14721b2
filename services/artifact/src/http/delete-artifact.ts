import type { RouteHandler } from '@millrace/http'
import { withTransaction } from '@millrace/postgres'
import type { AppContext } from '../context.js'
import { deleteArtifactRow } from '../db/delete-artifact.js'
import { artifactNotFound } from '../domain/artifact-errors.js'
import { audit } from './audit.js'
import { requireArtifact } from './require-artifact.js'

/** Gone at once for everyone; the sweep takes its bytes. */
export function deleteArtifact(ctx: AppContext, onTrash: () => void): RouteHandler {
  return async (req) => {
    const artifact = await requireArtifact(ctx, req)
    await withTransaction(ctx.pool, async (tx) => {
      if ((await deleteArtifactRow(tx, artifact.id)) === undefined) throw artifactNotFound()
      await audit(tx, req, 'artifact.deleted', artifact)
    })
    onTrash()
    ctx.bus.hint()
    return { status: 204 }
  }
}
