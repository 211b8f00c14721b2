import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { assertComplete } from '../domain/artifact-errors.js'
import { requireArtifact } from './require-artifact.js'
import { sendContent } from './send-content.js'

export function getContent(ctx: AppContext): RouteHandler {
  return async (req) => sendContent(ctx, req, assertComplete(await requireArtifact(ctx, req)))
}
