import { crashPoint } from '@millrace/crash-point'
import { type FieldError, tooLarge, unprocessable } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import { withTransaction } from '@millrace/postgres'
import { validate as isUuid, v7 } from 'uuid'
import type { AppContext } from '../context.js'
import { insertArtifact, type NewArtifact } from '../db/insert-artifact.js'
import { faultOfFileName } from '../domain/file-name.js'
import { isMediaType } from '../domain/media-type.js'
import { assertWithinQuota } from '../storage-quota.js'
import { audit } from './audit.js'
import { runNotFound, workflowOfRun } from './run-of-artifact.js'
import { chosenId } from './scheduler-access.js'
import { projectFor } from './worker-access.js'

interface Body {
  runId?: string
  task?: string
  name: string
  contentType?: string
  size?: number
  sha256?: string
}

function faultsOf(body: Body): FieldError[] {
  const errors: FieldError[] = []
  const nameFault = faultOfFileName(body.name)
  if (nameFault !== undefined) errors.push({ path: '/name', code: 'invalid_name', message: nameFault })
  if (body.contentType !== undefined && !isMediaType(body.contentType)) {
    errors.push({ path: '/contentType', code: 'invalid_content_type', message: 'must be a media type' })
  }
  if (body.sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(body.sha256)) {
    errors.push({ path: '/sha256', code: 'invalid_sha256', message: 'must be 64 hexadecimal digits' })
  }
  return errors
}

function assertAcceptable(ctx: AppContext, body: Body): void {
  const errors = faultsOf(body)
  const [first] = errors
  if (first !== undefined) throw unprocessable(first.code, `${first.path.slice(1)} ${first.message}.`, errors)
  if ((body.size ?? 0) > ctx.limits.maxBytes) {
    throw tooLarge('content_too_large', `An artifact may have at most ${ctx.limits.maxBytes} bytes.`)
  }
}

function newArtifact(
  body: Body,
  id: string,
  projectId: string,
  workflow: string | undefined,
  createdBy: string,
): NewArtifact {
  return {
    id,
    projectId,
    runId: body.runId ?? null,
    task: body.task ?? null,
    workflow: workflow ?? null,
    name: body.name,
    contentType: body.contentType ?? 'application/octet-stream',
    declaredSize: body.size ?? null,
    declaredSha256: body.sha256?.toLowerCase() ?? null,
    uploadKey: `${projectId}/${id}`,
    createdBy,
  }
}

export function createArtifact(ctx: AppContext): RouteHandler {
  return async (req) => {
    const body = req.body as Body
    assertAcceptable(ctx, body)
    if (body.runId !== undefined && !isUuid(body.runId)) throw runNotFound()
    const projectId = await projectFor(ctx, req, body.runId ?? null)
    const workflow = body.runId === undefined ? undefined : await workflowOfRun(ctx, req, body.runId, projectId)
    const artifact = newArtifact(body, chosenId(req) ?? v7(), projectId, workflow, req.identity.subject)
    const { storageBytes: limit } = await ctx.quotas(projectId)
    const upload = await ctx.store.presignPut(artifact.uploadKey, {
      expiresInSeconds: ctx.limits.uploadUrlSeconds,
      contentType: artifact.contentType,
      maxBytes: artifact.declaredSize ?? ctx.limits.maxBytes,
    })
    const reply = {
      status: 201,
      headers: { location: `/api/v1/artifacts/${artifact.id}` },
      body: {
        id: artifact.id,
        uploadUrl: upload.url,
        uploadMethod: upload.method,
        uploadHeaders: upload.headers,
        expiresAt: upload.expiresAt.toISOString(),
      },
    }
    await withTransaction(ctx.pool, async (tx) => {
      // A chosen id may have come before: then there is nothing left to do.
      if (await insertArtifact(tx, artifact)) {
        await assertWithinQuota(tx, artifact, limit)
        await audit(tx, req, 'artifact.created', artifact)
      }
      await req.settle(tx, reply)
      crashPoint('artifact.created')
    })
    ctx.bus.hint()
    return reply
  }
}
