import { randomUUID } from 'node:crypto'
import { conflict } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import { MIN_PART_BYTES, type UploadedPart } from '@millrace/object-store'
import { withTransaction } from '@millrace/postgres'
import type { AppContext } from '../context.js'
import { lockArtifact } from '../db/find-artifact.js'
import { announceObject } from '../db/object-trash.js'
import { type PartsUpload, setPartsUpload } from '../db/parts-upload.js'
import type { Artifact } from '../domain/artifact.js'
import { artifactNotFound, assertPending } from '../domain/artifact-errors.js'
import { audit } from './audit.js'
import { requireArtifact } from './require-artifact.js'

/**
 * URLs for the parts of an upload. Asked again it goes on with the upload that is under way: parts that have arrived are
 * named with what they are, the others get fresh URLs.
 */
export function createParts(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { count } = req.body as { count: number }
    const known = await requireArtifact(ctx, req)
    assertPending(known)
    const { upload, arrived } = await withTransaction(ctx.pool, async (tx) => {
      const locked = await lockArtifact(tx, known.id)
      if (locked === undefined) throw artifactNotFound()
      assertPending(locked)
      const underWay = await findUpload(ctx, locked)
      if (underWay !== undefined) return underWay
      const begun = await begin(ctx, locked)
      await setPartsUpload(tx, locked.id, begun)
      await audit(tx, req, 'artifact.upload_begun', locked)
      return { upload: begun, arrived: [] }
    })
    ctx.bus.hint()
    return { status: 200, body: await viewOfParts(ctx, known, upload, count, arrived) }
  }
}

/** Undefined when there is none, or when it was swept. */
async function findUpload(
  { store }: AppContext,
  { partsKey: key, partsUploadId: uploadId }: Artifact,
): Promise<{ upload: PartsUpload; arrived: UploadedPart[] } | undefined> {
  if (key === null || uploadId === null) return undefined
  const arrived = await store.listParts(key, uploadId)
  if (arrived !== undefined) return { upload: { key, uploadId }, arrived }
  if ((await store.head(key)) !== undefined) {
    throw conflict('upload_joined', 'The parts of this upload have been joined: complete the artifact.')
  }
  return undefined
}

async function begin(ctx: AppContext, artifact: Artifact): Promise<PartsUpload> {
  const key = `${artifact.projectId}/${artifact.id}.${randomUUID()}`
  // Not in the transaction: should it roll back, what the store has begun is still swept.
  await announceObject(ctx.pool, key, ctx.limits.pendingMs)
  return { key, uploadId: await ctx.store.beginParts(key, { contentType: artifact.contentType }) }
}

async function viewOfParts(
  ctx: AppContext,
  artifact: Artifact,
  { key, uploadId }: PartsUpload,
  count: number,
  arrived: readonly UploadedPart[],
) {
  const known = new Map(arrived.map((part) => [part.number, part]))
  const maxBytes = maxPartBytes(artifact.declaredSize ?? ctx.limits.maxBytes, count)
  const expiresInSeconds = ctx.limits.uploadUrlSeconds
  const parts: object[] = []
  let expiresAt: string | null = null
  for (let number = 1; number <= count; number += 1) {
    const part = known.get(number)
    if (part !== undefined) {
      parts.push({ number, uploaded: true, size: part.size, etag: part.etag })
      continue
    }
    const signed = await ctx.store.presignPart(key, uploadId, { number, expiresInSeconds, maxBytes })
    expiresAt ??= signed.expiresAt.toISOString()
    parts.push({ number, uploaded: false, url: signed.url, method: signed.method, headers: signed.headers })
  }
  return { id: artifact.id, minPartBytes: MIN_PART_BYTES, maxPartBytes: maxBytes, parts, expiresAt }
}

/** Twice an even share: parts on their way never take more than twice the room of the whole. */
const maxPartBytes = (wholeBytes: number, count: number): number =>
  Math.max(2 * MIN_PART_BYTES, Math.ceil((2 * wholeBytes) / count))
