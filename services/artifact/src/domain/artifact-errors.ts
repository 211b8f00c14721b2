import { conflict, notFound } from '@millrace/errors'
import { type Artifact, type CompleteArtifact, isComplete } from './artifact.js'

export const artifactNotFound = () => notFound('artifact_not_found', 'There is no such artifact.')

export function assertComplete(artifact: Artifact): CompleteArtifact {
  if (isComplete(artifact)) return artifact
  throw conflict('artifact_incomplete', 'The upload of this artifact has not been completed.')
}

export function assertPending(artifact: Artifact): void {
  if (artifact.state !== 'pending') {
    throw conflict('artifact_complete', 'This artifact is complete; its content no longer changes.')
  }
}
