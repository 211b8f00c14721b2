import { appendEvents } from '@millrace/events'
import type { Queryable } from '@millrace/postgres'
import { markComplete } from './db/link-content.js'
import type { Artifact, CompleteArtifact, Content } from './domain/artifact.js'
import { assertAsDeclared } from './domain/content-check.js'
import { SOURCE } from './source.js'

/** The one way to completeness: checked against what was announced, and told, in the caller's transaction. */
export async function completeContent(
  tx: Queryable,
  artifact: Artifact,
  objectKey: string,
  content: Content,
): Promise<CompleteArtifact> {
  assertAsDeclared(artifact, content)
  await markComplete(tx, artifact.id)
  await appendEvents(tx, SOURCE, [
    {
      topic: 'artifact.created',
      key: artifact.runId ?? artifact.id,
      subject: artifact.id,
      data: {
        artifactId: artifact.id,
        projectId: artifact.projectId,
        runId: artifact.runId ?? '',
        task: artifact.task ?? '',
        name: artifact.name,
        size: content.size,
        sha256: content.sha256,
        contentType: artifact.contentType,
      },
    },
  ])
  return { ...artifact, state: 'complete', objectKey, size: content.size, sha256: content.sha256 }
}
