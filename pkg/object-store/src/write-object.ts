import { randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { countedContent } from './counted-content.js'
import type { PutOptions, StoredContent } from './object-store.js'
import { onStorage } from './storage-error.js'

/** Written aside, made durable, then moved into place: a crash at any point leaves a temporary file or a whole object. */
export async function writeObject(
  paths: { temporary: string; target: string },
  body: Readable,
  options: PutOptions,
): Promise<StoredContent> {
  const temporary = join(paths.temporary, `${randomUUID()}.part`)
  try {
    const content = await writeTemporary(temporary, body, options)
    await onStorage(moveIntoPlace(temporary, paths.target))
    return content
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined)
    throw error
  }
}

async function writeTemporary(path: string, body: Readable, options: PutOptions): Promise<StoredContent> {
  const file = await onStorage(open(path, 'wx', 0o600))
  try {
    const content = countedContent(body, options.maxBytes)
    for await (const chunk of content.chunks) await onStorage(file.writeFile(chunk))
    await onStorage(file.sync())
    return content.total()
  } finally {
    await onStorage(file.close())
  }
}

async function moveIntoPlace(temporary: string, target: string): Promise<void> {
  const folder = dirname(target)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await rename(temporary, target)
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
