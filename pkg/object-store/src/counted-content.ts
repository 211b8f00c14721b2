import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { AppError, tooLarge } from '@millrace/errors'
import type { StoredContent } from './object-store.js'

export interface CountedContent {
  chunks: AsyncGenerator<Buffer>
  /** What passed so far. */
  total(): StoredContent
}

/**
 * Counts and digests what passes, and breaks off where it is more than allowed. The body is not destroyed when reading
 * stops early: it may be a request that still has to be answered.
 */
export function countedContent(body: Readable, maxBytes: number | undefined): CountedContent {
  const hash = createHash('sha256')
  let size = 0
  async function* chunks(): AsyncGenerator<Buffer> {
    for await (const chunk of chunksOf(body)) {
      size += chunk.length
      if (maxBytes !== undefined && size > maxBytes) {
        throw tooLarge('content_too_large', `The content is larger than ${maxBytes} bytes.`)
      }
      hash.update(chunk)
      yield chunk
    }
  }
  return { chunks: chunks(), total: () => ({ size, sha256: hash.copy().digest('hex') }) }
}

async function* chunksOf(body: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer)
    }
  } catch (cause) {
    throw new AppError('cancelled', 'upload_interrupted', 'The upload ended before it was complete.', { cause })
  }
}
