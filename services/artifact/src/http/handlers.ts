import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { completeArtifact } from './complete-artifact.js'
import { createArtifact } from './create-artifact.js'
import { createParts } from './create-parts.js'
import { deleteArtifact } from './delete-artifact.js'
import { getArtifact } from './get-artifact.js'
import { getContent } from './get-content.js'
import { getSigned } from './get-signed.js'
import { listArtifactsRoute } from './list-artifacts.js'
import { presignArtifact } from './presign-artifact.js'
import { putContent } from './put-content.js'
import { putSigned } from './put-signed.js'

/** By the operation ids of the route table. */
export function handlersOf(ctx: AppContext, onTrash: () => void): Record<string, RouteHandler> {
  return {
    createArtifact: createArtifact(ctx),
    listArtifacts: listArtifactsRoute(ctx),
    getArtifact: getArtifact(ctx),
    deleteArtifact: deleteArtifact(ctx, onTrash),
    createArtifactParts: createParts(ctx),
    completeArtifact: completeArtifact(ctx),
    getArtifactContent: getContent(ctx),
    putArtifactContent: putContent(ctx),
    presignArtifact: presignArtifact(ctx),
    getSignedArtifact: getSigned(ctx),
    putSignedArtifact: putSigned(ctx),
  }
}
