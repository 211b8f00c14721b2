import type { Readable } from 'node:stream'
import { createBrotliDecompress, createInflate, createUnzip } from 'node:zlib'
import { tooLarge } from '@millrace/errors'

/** `truncate` keeps the first bytes: for callers to whom the status matters and the body is a remark. */
export type Overflow = 'fail' | 'truncate'

/** Counts after decompression, while it streams: a small answer that unpacks without end is cut off at the limit. */
export async function readBody(
  body: Readable,
  encoding: string | undefined,
  maxBytes: number,
  overflow: Overflow,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  // Cutting an answer short makes the stream emit an error after the loop has left it.
  body.on('error', () => undefined)
  const source = decoded(body, encoding)
  try {
    for await (const chunk of source) {
      const bytes = chunk as Buffer
      size += bytes.length
      if (size > maxBytes) {
        if (overflow === 'fail') {
          throw tooLarge('response_too_large', `The response is larger than ${maxBytes} bytes`)
        }
        chunks.push(bytes.subarray(0, bytes.length - (size - maxBytes)))
        break
      }
      chunks.push(bytes)
    }
  } finally {
    source.destroy()
    body.destroy()
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

function decoded(body: Readable, encoding: string | undefined): Readable {
  const decoder = decoderFor(encoding)
  if (!decoder) return body
  body.on('error', (error) => decoder.destroy(error))
  return body.pipe(decoder)
}

function decoderFor(encoding: string | undefined) {
  switch (encoding?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createUnzip()
    case 'deflate':
      return createInflate()
    case 'br':
      return createBrotliDecompress()
    default:
      return undefined
  }
}
