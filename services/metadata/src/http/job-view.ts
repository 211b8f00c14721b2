import type { ArtifactRecord, JobDocument } from '@millrace/job-store'

export function jobView(job: JobDocument): Omit<JobDocument, 'projectId' | 'sequence'> {
  const { projectId: _projectId, sequence: _sequence, ...view } = job
  return view
}

export function artifactView(artifact: ArtifactRecord): Record<string, unknown> {
  const { id, name, size, sha256, contentType, createdAt } = artifact
  return { id, name, size, sha256, contentType, createdAt: createdAt.toISOString() }
}

/** What an artifact says it is of: a map's child is named with its place. */
export function artifactTaskOf(job: JobDocument): string {
  return job.index === null ? job.task : `${job.task}[${job.index}]`
}
