import type { Collection } from 'mongodb'
import type { ArtifactRecord } from '../domain/changes.js'
import { sanitiseText } from '../sanitise.js'
import { onlyDuplicates } from './mongo-error.js'

export interface StoredArtifact extends Omit<ArtifactRecord, 'id'> {
  _id: string
}

/** Kept apart from job documents: the event names a task by key, and may come before anything of that task has. */
export async function addArtifacts(collection: Collection<StoredArtifact>, artifacts: ArtifactRecord[]): Promise<void> {
  if (artifacts.length === 0) return
  const rows = artifacts.map(({ id, ...rest }) => ({
    _id: id,
    ...rest,
    task: sanitiseText(rest.task),
    name: sanitiseText(rest.name),
    contentType: sanitiseText(rest.contentType),
  }))
  try {
    await collection.insertMany(rows, { ordered: false })
  } catch (error) {
    if (!onlyDuplicates(error)) throw error
  }
}

export async function listArtifacts(
  collection: Collection<StoredArtifact>,
  projectId: string,
  runId: string,
  task: string,
): Promise<ArtifactRecord[]> {
  const rows = await collection
    .find({ runId, projectId, task: sanitiseText(task) })
    .sort({ _id: 1 })
    .toArray()
  return rows.map(({ _id, ...rest }) => ({ id: _id, ...rest }))
}
