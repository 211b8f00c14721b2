import type { Artifact } from '../domain/artifact.js'

/** As the outside sees an artifact. Size and digest are facts only once it is complete. */
export function viewOf(artifact: Artifact) {
  const complete = artifact.state === 'complete'
  return {
    id: artifact.id,
    name: artifact.name,
    size: complete ? artifact.size : artifact.declaredSize,
    sha256: complete ? artifact.sha256 : artifact.declaredSha256,
    contentType: artifact.contentType,
    runId: artifact.runId,
    task: artifact.task,
    createdAt: artifact.createdAt.toISOString(),
    state: artifact.state,
  }
}
