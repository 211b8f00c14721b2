import type { Queryable } from '@millrace/postgres'
import type { Artifact } from '../domain/artifact.js'
import { artifactColumns } from './artifact-row.js'

export async function findArtifact(db: Queryable, id: string): Promise<Artifact | undefined> {
  const { rows } = await db.query<Artifact>(`select ${artifactColumns} from artifacts where id = $1`, [id])
  return rows[0]
}

export async function findByUploadKey(db: Queryable, key: string): Promise<Artifact | undefined> {
  const { rows } = await db.query<Artifact>(`select ${artifactColumns} from artifacts where upload_key = $1`, [key])
  return rows[0]
}

/** By the id within the key: of the artifact's uploads in parts, only the one under way counts. */
export async function findByPartsKey(db: Queryable, key: string): Promise<Artifact | undefined> {
  const [, id] = /^([0-9a-f-]{36})\.[0-9a-f-]{36}$/.exec(key.slice(key.lastIndexOf('/') + 1)) ?? []
  const artifact = id === undefined ? undefined : await findArtifact(db, id)
  return artifact?.partsKey === key ? artifact : undefined
}

export async function findByObjectKey(db: Queryable, key: string): Promise<Artifact | undefined> {
  const { rows } = await db.query<Artifact>(`select ${artifactColumns} from artifacts where object_key = $1`, [key])
  return rows[0]
}

export async function lockArtifact(tx: Queryable, id: string): Promise<Artifact | undefined> {
  const { rows } = await tx.query<Artifact>(`select ${artifactColumns} from artifacts where id = $1 for update`, [id])
  return rows[0]
}
