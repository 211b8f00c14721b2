export const ArtifactState = { Pending: 'pending', Complete: 'complete' } as const
export type ArtifactState = (typeof ArtifactState)[keyof typeof ArtifactState]

export interface Artifact {
  id: string
  projectId: string
  runId: string | null
  task: string | null
  name: string
  contentType: string
  declaredSize: number | null
  declaredSha256: string | null
  state: ArtifactState
  uploadKey: string
  objectKey: string | null
  size: number | null
  sha256: string | null
  createdAt: Date
  /** Of an upload in parts. */
  partsKey: string | null
  partsUploadId: string | null
  createdBy: string
}

export interface Content {
  size: number
  sha256: string
}

export interface CompleteArtifact extends Artifact {
  state: 'complete'
  objectKey: string
  size: number
  sha256: string
}

export const isComplete = (artifact: Artifact): artifact is CompleteArtifact =>
  artifact.state === ArtifactState.Complete &&
  artifact.objectKey !== null &&
  artifact.size !== null &&
  artifact.sha256 !== null
