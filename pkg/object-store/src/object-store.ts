import type { Readable } from 'node:stream'

export interface PutOptions {
  contentType: string
  /** More than this is refused while it is read. */
  maxBytes?: number
}

export interface StoredContent {
  size: number
  /** Lower-case hexadecimal. */
  sha256: string
}

/** First and last byte, both included. */
export interface ByteRange {
  start: number
  end: number
}

export interface OpenContent {
  stream: Readable
  /** Of the whole object, also when a range of it is read. */
  size: number
}

export interface PresignOptions {
  expiresInSeconds: number
}

export interface PresignPutOptions extends PresignOptions {
  contentType: string
  maxBytes?: number
}

export interface PresignGetOptions extends PresignOptions {
  filename: string
  contentType: string
}

export interface SignedUrl {
  /** Absolute, or relative to the gateway. */
  url: string
  method: 'GET' | 'PUT'
  /** To be sent along exactly so. */
  headers: Record<string, string>
  expiresAt: Date
}

export interface PartGrant extends PresignOptions {
  number: number
  maxBytes?: number
}

/** What a signed URL of a store without a server of its own allows. */
export interface SignedGrant {
  method: 'GET' | 'PUT'
  key: string
  contentType: string
  filename?: string
  maxBytes?: number
  /** Of an upload in parts. */
  part?: number
}

export interface UploadedPart {
  /** Counts from 1. */
  number: number
  size: number
  /** Names the content, without quotes; whoever uploaded the part was given it as ETag. */
  etag: string
}

/** Of every part but the last, as S3 has it. */
export const MIN_PART_BYTES = 5 * 1024 * 1024

/** Keys are paths of lower-case segments: `[a-z0-9][a-z0-9.-]*`, joined by `/`. */
export interface ObjectStore {
  /** Once, before anything else: makes what the store needs and clears what an earlier life left half-done. */
  prepare(): Promise<void>
  /** Replaces what was there, all or nothing: a reader sees the old content or the new, never a part. */
  put(key: string, body: Readable, options: PutOptions): Promise<StoredContent>
  /** Undefined when there is no such object. */
  get(key: string, range?: ByteRange): Promise<OpenContent | undefined>
  head(key: string): Promise<{ size: number } | undefined>
  /** Reads the whole object. */
  digest(key: string): Promise<StoredContent | undefined>
  /** Begins an upload in parts of an object that does not exist yet. The answer goes into every call about it. */
  beginParts(key: string, options: { contentType: string }): Promise<string>
  /** `maxBytes` holds where the store can tell; the sizes of all parts are in `listParts`. */
  presignPart(key: string, uploadId: string, part: PartGrant): Promise<SignedUrl>
  /** By number. Undefined when the upload does not exist: never begun, joined, or dropped. */
  listParts(key: string, uploadId: string): Promise<UploadedPart[] | undefined>
  /** Makes the object of these parts, as `listParts` gave them, and ends the upload. */
  joinParts(key: string, uploadId: string, parts: readonly UploadedPart[]): Promise<void>
  /** Only where signed URLs lead back to the service. Throws `not_found` when no upload was begun. */
  readonly putPart?: (key: string, part: number, body: Readable, maxBytes?: number) => Promise<UploadedPart>
  /** Drops an upload in parts too. Deleting what is not there is no fault. */
  delete(key: string): Promise<void>
  presignPut(key: string, options: PresignPutOptions): Promise<SignedUrl>
  presignGet(key: string, options: PresignGetOptions): Promise<SignedUrl>
  /** Only where signed URLs lead back to the service. Throws `permission_denied` for a forged or expired token. */
  readonly verifySignedToken?: (method: 'GET' | 'PUT', token: string) => SignedGrant
}

const keyPattern = /^[a-z0-9][a-z0-9.-]*(\/[a-z0-9][a-z0-9.-]*)*$/

export function assertKey(key: string): string {
  if (key.length > 512 || !keyPattern.test(key)) throw new TypeError(`not an object key: ${JSON.stringify(key)}`)
  return key
}
