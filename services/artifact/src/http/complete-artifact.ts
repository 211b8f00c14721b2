import { AppError, tooLarge, unprocessable } from '@millrace/errors'
import type { RouteHandler, RouteRequest } from '@millrace/http'
import { withTransaction } from '@millrace/postgres'
import { completeContent } from '../complete.js'
import type { AppContext } from '../context.js'
import { lockArtifact } from '../db/find-artifact.js'
import { linkContent } from '../db/link-content.js'
import type { Artifact, Content } from '../domain/artifact.js'
import { artifactNotFound } from '../domain/artifact-errors.js'
import { dropUpload, joinUpload, type NamedPart } from '../join-upload.js'
import { assertWithinQuota, grows } from '../storage-quota.js'
import { viewOf } from './artifact-view.js'
import { audit } from './audit.js'
import { requireArtifact } from './require-artifact.js'

type Found = { key: string; content: Content }

/** What this service took in was measured on the way; what the store took in itself has to be read. */
async function findContent(ctx: AppContext, artifact: Artifact): Promise<Found | undefined> {
  if (artifact.objectKey !== null && artifact.size !== null && artifact.sha256 !== null) {
    return { key: artifact.objectKey, content: { size: artifact.size, sha256: artifact.sha256 } }
  }
  const uploaded = await ctx.store.head(artifact.uploadKey)
  // A store that takes uploads itself may not have known the limit.
  if (uploaded !== undefined && uploaded.size > ctx.limits.maxBytes) {
    throw tooLarge('content_too_large', `The content is larger than ${ctx.limits.maxBytes} bytes.`)
  }
  const content = await ctx.store.digest(artifact.uploadKey)
  return content && { key: artifact.uploadKey, content }
}

export function completeArtifact(ctx: AppContext): RouteHandler {
  return async (req) => {
    const known = await requireArtifact(ctx, req)
    const { parts } = (req.body ?? {}) as { parts?: NamedPart[] }
    const artifact = known.state === 'complete' ? known : await complete(ctx, req, known, parts)
    ctx.bus.hint()
    return { status: 200, body: viewOf(artifact) }
  }
}

async function complete(
  ctx: AppContext,
  req: RouteRequest,
  known: Artifact,
  parts: NamedPart[] | undefined,
): Promise<Artifact> {
  if (parts === undefined) {
    const stored = known.objectKey === null ? await findContent(ctx, known) : undefined
    return await finish(ctx, req, known, (locked) => (locked.objectKey === null ? stored : findContent(ctx, locked)))
  }
  const joined = await joinUpload(ctx, known, parts)
  try {
    return await finish(ctx, req, known, () => joined)
  } catch (error) {
    // Refused for what it is; whatever else went wrong may go right the next time.
    if (error instanceof AppError && !error.retryable) await dropUpload(ctx, known.id, joined.key)
    throw error
  }
}

async function finish(
  ctx: AppContext,
  req: RouteRequest,
  known: Artifact,
  contentOf: (locked: Artifact) => Found | undefined | Promise<Found | undefined>,
): Promise<Artifact> {
  const { storageBytes: limit } = await ctx.quotas(known.projectId)
  return await withTransaction(ctx.pool, async (tx) => {
    const locked = await lockArtifact(tx, known.id)
    if (locked === undefined) throw artifactNotFound()
    if (locked.state === 'complete') return locked
    const found = await contentOf(locked)
    if (found === undefined) throw unprocessable('content_missing', 'Nothing has been uploaded for this artifact yet.')
    if (locked.objectKey !== found.key) {
      await linkContent(tx, locked, found.key, found.content)
      if (grows(locked, found.content)) await assertWithinQuota(tx, locked, limit)
    }
    const completed = await completeContent(tx, locked, found.key, found.content)
    await audit(tx, req, 'artifact.completed', locked)
    return completed
  })
}
