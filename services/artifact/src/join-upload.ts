import { type FieldError, tooLarge, unprocessable } from '@millrace/errors'
import { MIN_PART_BYTES, type UploadedPart } from '@millrace/object-store'
import type { AppContext } from './context.js'
import { trashObjects } from './db/object-trash.js'
import { forgetPartsUpload } from './db/parts-upload.js'
import type { Artifact, Content } from './domain/artifact.js'

export interface NamedPart {
  number: number
  etag: string
}

/**
 * Makes one object of the parts. Everything that can be told from the list is checked before: a fault there costs no
 * upload. May be repeated: what was joined before is found joined.
 */
export async function joinUpload(
  ctx: AppContext,
  artifact: Artifact,
  named: readonly NamedPart[],
): Promise<{ key: string; content: Content }> {
  const { partsKey: key, partsUploadId: uploadId } = artifact
  if (key === null || uploadId === null) {
    throw unprocessable('no_parts', 'No upload in parts has been begun for this artifact.')
  }
  const arrived = await ctx.store.listParts(key, uploadId)
  if (arrived !== undefined) await ctx.store.joinParts(key, uploadId, checkParts(ctx, artifact, named, arrived))
  const content = await ctx.store.digest(key)
  if (content === undefined) throw unprocessable('content_missing', 'The parts of this upload are gone: begin again.')
  return { key, content }
}

/** What was joined cannot be kept: it goes, and another upload may begin. */
export async function dropUpload(ctx: AppContext, artifactId: string, key: string): Promise<void> {
  await forgetPartsUpload(ctx.pool, artifactId, key)
  await trashObjects(ctx.pool, [key])
}

function checkParts(
  ctx: AppContext,
  { declaredSize }: Artifact,
  named: readonly NamedPart[],
  arrived: readonly UploadedPart[],
): UploadedPart[] {
  const byNumber = new Map(arrived.map((part) => [part.number, part]))
  const errors: FieldError[] = []
  const parts = named.flatMap((part, i) => {
    const found = byNumber.get(part.number)
    const fault = faultOf(part, i, found, i === named.length - 1)
    if (fault !== undefined) errors.push({ path: `/parts/${i}`, ...fault })
    return found ?? []
  })
  const [first] = errors
  if (first !== undefined) throw unprocessable(first.code, 'The parts are not those that were uploaded.', errors)
  const size = parts.reduce((sum, part) => sum + part.size, 0)
  if (size > ctx.limits.maxBytes) {
    throw tooLarge('content_too_large', `The content is larger than ${ctx.limits.maxBytes} bytes.`)
  }
  if (declaredSize !== null && size !== declaredSize) {
    const message = `${declaredSize} bytes were announced and ${size} received`
    const error = { path: '/size', code: 'size_mismatch', message }
    throw unprocessable('size_mismatch', 'The content is not what was announced.', [error])
  }
  return parts
}

function faultOf(
  part: NamedPart,
  index: number,
  found: UploadedPart | undefined,
  isLast: boolean,
): { code: string; message: string } | undefined {
  if (part.number !== index + 1)
    return { code: 'part_order', message: 'parts are named in order, from 1, none left out' }
  if (found === undefined) return { code: 'part_missing', message: `part ${part.number} has not been uploaded` }
  if (part.etag.replaceAll('"', '') !== found.etag) {
    return { code: 'part_mismatch', message: `part ${part.number} is another one than was uploaded` }
  }
  if (!isLast && found.size < MIN_PART_BYTES) {
    return { code: 'part_too_small', message: `only the last part may be smaller than ${MIN_PART_BYTES} bytes` }
  }
  return undefined
}
