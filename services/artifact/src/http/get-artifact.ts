import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { viewOf } from './artifact-view.js'
import { requireArtifact } from './require-artifact.js'

export function getArtifact(ctx: AppContext): RouteHandler {
  return async (req) => ({ status: 200, body: viewOf(await requireArtifact(ctx, req)) })
}
