import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { AppError, tooLarge } from '@millrace/errors'
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
    const hash = createHash('sha256')
    let size = 0
    for await (const chunk of chunksOf(body)) {
      size += chunk.length
      if (options.maxBytes !== undefined && size > options.maxBytes) {
        throw tooLarge('content_too_large', `The content is larger than ${options.maxBytes} bytes.`)
      }
      hash.update(chunk)
      await onStorage(file.writeFile(chunk))
    }
    await onStorage(file.sync())
    return { size, sha256: hash.digest('hex') }
  } finally {
    await onStorage(file.close())
  }
}

/** The body is not destroyed when reading stops early: it may be a request that still has to be answered. */
async function* chunksOf(body: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer)
    }
  } catch (cause) {
    throw new AppError('cancelled', 'upload_interrupted', 'The upload ended before it was complete.', { cause })
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
