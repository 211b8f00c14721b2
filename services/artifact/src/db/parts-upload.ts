import type { Queryable } from '@millrace/postgres'

export interface PartsUpload {
  key: string
  uploadId: string
}

export async function setPartsUpload(tx: Queryable, artifactId: string, upload: PartsUpload): Promise<void> {
  await tx.query('update artifacts set parts_key = $2, parts_upload_id = $3 where id = $1', [
    artifactId,
    upload.key,
    upload.uploadId,
  ])
}

/** Whoever begins another one meanwhile keeps it. */
export async function forgetPartsUpload(db: Queryable, artifactId: string, key: string): Promise<void> {
  await db.query('update artifacts set parts_key = null, parts_upload_id = null where id = $1 and parts_key = $2', [
    artifactId,
    key,
  ])
}
