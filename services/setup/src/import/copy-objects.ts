import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { ObjectStore } from '@millrace/object-store'
import type { Pool } from '@millrace/postgres'

const unknownType = 'application/octet-stream'

export interface CopiedObjects {
  objects: number
  bytes: number
}

/** Every object of a folder that a file store kept, under its key. One that is there already in its size is left. */
export async function copyObjects(directory: string, store: ObjectStore, pool: Pool): Promise<CopiedObjects> {
  const copied: CopiedObjects = { objects: 0, bytes: 0 }
  const root = join(directory, 'objects')
  for (const path of await filesIn(root)) {
    const key = relative(root, path).split(sep).join('/')
    const { size } = await stat(path)
    copied.objects += 1
    copied.bytes += size
    if ((await store.head(key))?.size === size) continue
    const { rows } = await pool.query<{ content_type: string }>(
      'select content_type from artifact.artifacts where object_key = $1',
      [key],
    )
    await store.put(key, createReadStream(path), { contentType: rows[0]?.content_type ?? unknownType })
  }
  return copied
}

/** A standalone that never stored anything has no folder. */
async function filesIn(root: string): Promise<string[]> {
  try {
    const entries = await readdir(root, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
