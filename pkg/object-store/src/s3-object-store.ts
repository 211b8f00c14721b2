import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { countedContent } from './counted-content.js'
import {
  assertKey,
  type ByteRange,
  type ObjectStore,
  type OpenContent,
  type PartGrant,
  type PresignGetOptions,
  type PresignPutOptions,
  type PutOptions,
  type SignedUrl,
  type StoredContent,
  type UploadedPart,
} from './object-store.js'
import { beginParts, dropUploads, joinParts, listParts } from './s3-parts.js'
import { attachment, isAbsent, onS3 } from './s3-wire.js'

export interface S3ObjectStoreOptions {
  bucket: string
  region: string
  /** Another server than AWS's own, such as MinIO. */
  endpoint?: string | undefined
  /** Where clients outside reach the same server; signed URLs name it. */
  publicUrl?: string | undefined
  /** Without them, the usual places of the AWS SDK are looked at. */
  credentials?: { accessKeyId: string; secretAccessKey: string } | undefined
}

const PART_BYTES = 8 * 1024 * 1024
const PARTS_AT_ONCE = 2
const ABANDONED_MS = 24 * 3_600_000

export function createS3ObjectStore(options: S3ObjectStoreOptions): ObjectStore {
  return new S3ObjectStore(options)
}

function makeClient(options: S3ObjectStoreOptions, endpoint: string | undefined): S3Client {
  return new S3Client({
    region: options.region,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(options.credentials === undefined ? {} : { credentials: options.credentials }),
    // A checksum of an empty body would be signed into upload URLs, and then fit no upload.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 2_000, socketTimeout: 30_000 },
  })
}

/** A signature counts from a whole second: so does what is said of its end. */
function termOf(expiresInSeconds: number): { signing: { signingDate: Date; expiresIn: number }; expiresAt: Date } {
  const fromMs = Math.floor(Date.now() / 1_000) * 1_000
  return {
    signing: { signingDate: new Date(fromMs), expiresIn: expiresInSeconds },
    expiresAt: new Date(fromMs + expiresInSeconds * 1_000),
  }
}

class S3ObjectStore implements ObjectStore {
  private readonly client: S3Client
  private readonly signer: S3Client
  private readonly bucket: { Bucket: string }

  constructor(options: S3ObjectStoreOptions) {
    this.client = makeClient(options, options.endpoint)
    this.signer = makeClient(options, options.publicUrl ?? options.endpoint)
    this.bucket = { Bucket: options.bucket }
  }

  async prepare(): Promise<void> {
    await onS3(this.makeBucket())
    await onS3(this.dropAbandoned())
  }

  /** Content passes through in parts; nothing is to be seen under the key until the last one arrived whole. */
  async put(key: string, body: Readable, options: PutOptions): Promise<StoredContent> {
    const target = { ...this.bucket, Key: assertKey(key) }
    const content = countedContent(body, options.maxBytes)
    const upload = new Upload({
      client: this.client,
      params: { ...target, Body: Readable.from(content.chunks), ContentType: options.contentType },
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
    })
    await onS3(upload.done())
    return content.total()
  }

  async get(key: string, range?: ByteRange): Promise<OpenContent | undefined> {
    const asked = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` }
    const found = await this.found(
      this.client.send(new GetObjectCommand({ ...this.bucket, Key: assertKey(key), ...asked })),
    )
    if (found === undefined) return undefined
    const whole = found.ContentRange?.split('/').at(-1)
    return { stream: found.Body as Readable, size: whole === undefined ? (found.ContentLength ?? 0) : Number(whole) }
  }

  async head(key: string): Promise<{ size: number } | undefined> {
    const found = await this.found(this.client.send(new HeadObjectCommand({ ...this.bucket, Key: assertKey(key) })))
    return found && { size: found.ContentLength ?? 0 }
  }

  async digest(key: string): Promise<StoredContent | undefined> {
    const content = await this.get(key)
    if (content === undefined) return undefined
    const hash = createHash('sha256')
    let size = 0
    const read = async () => {
      for await (const chunk of content.stream) {
        size += (chunk as Buffer).length
        hash.update(chunk as Buffer)
      }
    }
    await onS3(read())
    return { size, sha256: hash.digest('hex') }
  }

  async delete(key: string): Promise<void> {
    const target = { ...this.bucket, Key: assertKey(key) }
    await dropUploads(this.client, target)
    await onS3(this.client.send(new DeleteObjectCommand(target)))
  }

  beginParts(key: string, { contentType }: { contentType: string }): Promise<string> {
    return beginParts(this.client, { ...this.bucket, Key: assertKey(key) }, contentType)
  }

  /** Its size cannot be bound: what was uploaded is looked at before the parts are joined. */
  async presignPart(key: string, UploadId: string, part: PartGrant): Promise<SignedUrl> {
    const command = new UploadPartCommand({ ...this.bucket, Key: assertKey(key), UploadId, PartNumber: part.number })
    const term = termOf(part.expiresInSeconds)
    const url = await onS3(getSignedUrl(this.signer, command, term.signing))
    return { url, method: 'PUT', headers: {}, expiresAt: term.expiresAt }
  }

  listParts(key: string, uploadId: string): Promise<UploadedPart[] | undefined> {
    return listParts(this.client, { ...this.bucket, Key: assertKey(key) }, uploadId)
  }

  joinParts(key: string, uploadId: string, parts: readonly UploadedPart[]): Promise<void> {
    return joinParts(this.client, { ...this.bucket, Key: assertKey(key) }, uploadId, parts)
  }

  async presignPut(key: string, options: PresignPutOptions): Promise<SignedUrl> {
    const { contentType, expiresInSeconds } = options
    const headers = { 'content-type': contentType, 'if-none-match': '*' }
    const target = { ...this.bucket, Key: assertKey(key) }
    const command = new PutObjectCommand({ ...target, ContentType: contentType, IfNoneMatch: '*' })
    const term = termOf(expiresInSeconds)
    const url = await onS3(
      getSignedUrl(this.signer, command, {
        ...term.signing,
        // One upload, of that type of content: what was checked since cannot be replaced by using the URL again.
        signableHeaders: new Set(Object.keys(headers)),
        unhoistableHeaders: new Set(Object.keys(headers)),
      }),
    )
    return { url, method: 'PUT', headers, expiresAt: term.expiresAt }
  }

  async presignGet(key: string, options: PresignGetOptions): Promise<SignedUrl> {
    const { contentType, filename, expiresInSeconds } = options
    const command = new GetObjectCommand({
      ...this.bucket,
      Key: assertKey(key),
      ResponseContentType: contentType,
      ResponseContentDisposition: attachment(filename),
      ResponseCacheControl: 'private, no-store',
    })
    const term = termOf(expiresInSeconds)
    const url = await onS3(getSignedUrl(this.signer, command, term.signing))
    return { url, method: 'GET', headers: {}, expiresAt: term.expiresAt }
  }

  private async found<T>(work: Promise<T>): Promise<T | undefined> {
    return await onS3(
      work.catch((error: unknown) => {
        if (isAbsent(error)) return undefined
        throw error
      }),
    )
  }

  private async makeBucket(): Promise<void> {
    try {
      await this.client.send(new HeadBucketCommand(this.bucket))
    } catch (error) {
      if (!isAbsent(error)) throw error
      await this.client.send(new CreateBucketCommand(this.bucket)).catch((failure: { name?: string }) => {
        // Another replica was first.
        if (failure.name !== 'BucketAlreadyOwnedByYou') throw failure
      })
    }
  }

  /** Parts of uploads whose process died cost room. Only old ones: other replicas have uploads under way. */
  private async dropAbandoned(): Promise<void> {
    const { Uploads = [] } = await this.client.send(new ListMultipartUploadsCommand(this.bucket))
    for (const { Key, UploadId, Initiated } of Uploads) {
      if (Key === undefined || UploadId === undefined || Initiated === undefined) continue
      if (Date.now() - Initiated.getTime() < ABANDONED_MS) continue
      await this.client.send(new AbortMultipartUploadCommand({ ...this.bucket, Key, UploadId }))
    }
  }
}
