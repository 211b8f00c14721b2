import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { crashPoint } from '@millrace/crash-point'
import { AppError, tooLarge } from '@millrace/errors'
import { withTransaction } from '@millrace/postgres'
import type { AppContext } from './context.js'
import { lockArtifact } from './db/find-artifact.js'
import { linkContent } from './db/link-content.js'
import { announceObject, trashObjects } from './db/object-trash.js'
import type { Artifact, Content } from './domain/artifact.js'
import { artifactNotFound, assertPending } from './domain/artifact-errors.js'
import { assertWithinQuota, grows, roomFor, storageExceeded } from './storage-quota.js'

export interface Received {
  artifact: Artifact
  objectKey: string
  content: Content
}

interface Upload {
  req: IncomingMessage
  res: ServerResponse
}

const isTooLarge = (error: unknown): boolean => error instanceof AppError && error.code === 'too_large'

/**
 * Streams a request's body into an object of its own and links it to the pending artifact; `then` joins the linking
 * transaction. Whatever fails, the object is in the trash and the artifact as it was.
 */
export async function receiveUpload<T>(
  ctx: AppContext,
  artifact: Artifact,
  { req, res }: Upload,
  then: (tx: Parameters<Parameters<typeof withTransaction>[1]>[0], received: Received) => Promise<T>,
): Promise<T> {
  // The rest of a refused body is not worth reading.
  const refuse = (error: unknown): never => {
    if (!res.headersSent) res.setHeader('connection', 'close')
    throw error
  }
  const { storageBytes: limit } = await ctx.quotas(artifact.projectId)
  const mostAllowed = artifact.declaredSize ?? ctx.limits.maxBytes
  // What was announced is counted already; of what was not, no more is taken in than there is room for.
  const room = artifact.declaredSize === null ? await roomFor(ctx, artifact, limit) : mostAllowed
  const maxBytes = Math.min(mostAllowed, room)
  const overfull = () =>
    limit !== null && room < mostAllowed
      ? storageExceeded(limit)
      : tooLarge('content_too_large', `The content is larger than ${maxBytes} bytes.`)
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) return refuse(overfull())
  const objectKey = `${artifact.projectId}/${artifact.id}.${randomUUID()}`
  await announceObject(ctx.pool, objectKey, ctx.limits.pendingMs)
  crashPoint('artifact.announced')
  req.setTimeout(ctx.limits.uploadIdleMs, () => req.destroy())
  try {
    const content = await ctx.store.put(objectKey, req, { contentType: artifact.contentType, maxBytes })
    crashPoint('artifact.stored')
    return await withTransaction(ctx.pool, async (tx) => {
      const locked = await lockArtifact(tx, artifact.id)
      if (locked === undefined) throw artifactNotFound()
      assertPending(locked)
      await linkContent(tx, locked, objectKey, content)
      if (grows(locked, content)) await assertWithinQuota(tx, locked, limit)
      crashPoint('artifact.linked')
      return await then(tx, { artifact: locked, objectKey, content })
    })
  } catch (error) {
    await trashObjects(ctx.pool, [objectKey]).catch(() => undefined)
    return refuse(isTooLarge(error) ? overfull() : error)
  } finally {
    req.setTimeout(0)
  }
}
