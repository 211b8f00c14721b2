import type { Queryable } from '@millrace/postgres'
import type { Content } from '../domain/artifact.js'
import { restoreObject, trashObjects } from './object-trash.js'

/** Makes an object the content of a pending artifact; the object it replaces goes to the trash. */
export async function linkContent(
  tx: Queryable,
  artifact: { id: string; objectKey: string | null },
  objectKey: string,
  content: Content,
): Promise<void> {
  if (artifact.objectKey !== null && artifact.objectKey !== objectKey) await trashObjects(tx, [artifact.objectKey])
  await restoreObject(tx, objectKey)
  await tx.query('update artifacts set object_key = $2, size = $3, sha256 = $4 where id = $1', [
    artifact.id,
    objectKey,
    content.size,
    content.sha256,
  ])
}

export async function markComplete(tx: Queryable, id: string): Promise<void> {
  await tx.query(`update artifacts set state = 'complete', completed_at = clock_timestamp() where id = $1`, [id])
}
