import type { RouteRequest } from '@millrace/http'
import { validate as isUuid } from 'uuid'
import type { AppContext } from '../context.js'
import { findArtifact } from '../db/find-artifact.js'
import type { Artifact } from '../domain/artifact.js'
import { artifactNotFound } from '../domain/artifact-errors.js'
import { isShared, projectFor } from './worker-access.js'

/** The artifact of the path, if the caller may see it; another project's is as absent as none. */
export async function requireArtifact(ctx: AppContext, req: RouteRequest): Promise<Artifact> {
  const { identity, params } = req
  const { id = '' } = params
  if (!isUuid(id)) throw artifactNotFound()
  const artifact = await findArtifact(ctx.pool, id)
  const everywhere = identity.role === 'worker' && isShared(identity)
  if (artifact === undefined || (!everywhere && artifact.projectId !== identity.projectId)) throw artifactNotFound()
  if ((await projectFor(ctx, req, artifact.runId)) !== artifact.projectId) throw artifactNotFound()
  return artifact
}
