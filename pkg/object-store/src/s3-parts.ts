import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import type { UploadedPart } from './object-store.js'
import { isAbsent, onS3 } from './s3-wire.js'

interface Target {
  Bucket: string
  Key: string
}

export async function beginParts(client: S3Client, target: Target, contentType: string): Promise<string> {
  const begun = await onS3(client.send(new CreateMultipartUploadCommand({ ...target, ContentType: contentType })))
  return begun.UploadId ?? ''
}

export async function listParts(
  client: S3Client,
  target: Target,
  UploadId: string,
): Promise<UploadedPart[] | undefined> {
  const parts: UploadedPart[] = []
  let marker: string | undefined
  for (;;) {
    const page = await onS3(
      client
        .send(new ListPartsCommand({ ...target, UploadId, ...(marker !== undefined && { PartNumberMarker: marker }) }))
        .catch(absentAsUndefined),
    )
    if (page === undefined) return undefined
    for (const { PartNumber = 0, Size = 0, ETag = '' } of page.Parts ?? []) {
      parts.push({ number: PartNumber, size: Size, etag: ETag.replaceAll('"', '') })
    }
    if (page.IsTruncated !== true || page.NextPartNumberMarker === undefined) return parts
    marker = page.NextPartNumberMarker
  }
}

/** The object is there whole at once; the upload's id works no more. */
export async function joinParts(
  client: S3Client,
  target: Target,
  UploadId: string,
  parts: readonly UploadedPart[],
): Promise<void> {
  const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: `"${etag}"` }))
  await onS3(client.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts } })))
}

export async function dropUploads(client: S3Client, target: Target): Promise<void> {
  const { Uploads = [] } = await onS3(
    client.send(new ListMultipartUploadsCommand({ Bucket: target.Bucket, Prefix: target.Key })),
  )
  for (const { Key, UploadId } of Uploads) {
    if (Key !== target.Key || UploadId === undefined) continue
    await onS3(client.send(new AbortMultipartUploadCommand({ ...target, UploadId })).catch(absentAsUndefined))
  }
}

function absentAsUndefined(error: unknown): undefined {
  if (isAbsent(error)) return undefined
  throw error
}
