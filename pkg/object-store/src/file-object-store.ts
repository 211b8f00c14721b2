import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { FileParts } from './file-parts.js'
import {
  assertKey,
  type ByteRange,
  type ObjectStore,
  type OpenContent,
  type PartGrant,
  type PresignGetOptions,
  type PresignPutOptions,
  type PutOptions,
  type SignedGrant,
  type SignedUrl,
  type StoredContent,
  type UploadedPart,
} from './object-store.js'
import { signToken, verifyToken } from './signed-token.js'
import { isMissing, onStorage, storageUnavailable } from './storage-error.js'
import { writeObject } from './write-object.js'

export interface FileObjectStoreOptions {
  /** Belongs to one process at a time: what it finds half-written at its start, it deletes. */
  directory: string
  /** Signs URLs. Keep it: URLs given out stop working when it changes. */
  signingKey: Buffer
  /** The one before: URLs that it signed still work. */
  previousSigningKey?: Buffer | undefined
  /** Where the service answers signed URLs; the token follows. */
  signedPath?: string
  now?: () => Date
}

export function createFileObjectStore(options: FileObjectStoreOptions): ObjectStore {
  return new FileObjectStore(options)
}

class FileObjectStore implements ObjectStore {
  private readonly signingKeys: readonly Buffer[]
  private readonly objects: string
  private readonly temporary: string
  private readonly signedPath: string
  private readonly parts: FileParts
  private readonly now: () => Date

  constructor(private readonly options: FileObjectStoreOptions) {
    this.signingKeys = [options.signingKey, options.previousSigningKey].flatMap((key) => key ?? [])
    this.objects = join(options.directory, 'objects')
    this.temporary = join(options.directory, 'incoming')
    this.parts = new FileParts(join(options.directory, 'parts'), this.temporary)
    this.signedPath = options.signedPath ?? '/api/v1/artifacts/signed/'
    this.now = options.now ?? (() => new Date())
  }

  async prepare(): Promise<void> {
    await onStorage(mkdir(this.objects, { recursive: true, mode: 0o700 }))
    await onStorage(mkdir(this.temporary, { recursive: true, mode: 0o700 }))
    for (const name of await onStorage(readdir(this.temporary))) {
      await onStorage(rm(join(this.temporary, name), { recursive: true, force: true }))
    }
  }

  async put(key: string, body: Readable, options: PutOptions): Promise<StoredContent> {
    return await writeObject({ temporary: this.temporary, target: this.pathOf(key) }, body, options)
  }

  async get(key: string, range?: ByteRange): Promise<OpenContent | undefined> {
    const file = await this.openExisting(key)
    if (file === undefined) return undefined
    try {
      const { size } = await file.stat()
      return { stream: file.createReadStream(range === undefined ? {} : { ...range }), size }
    } catch (error) {
      await file.close()
      throw storageUnavailable(error)
    }
  }

  async head(key: string): Promise<{ size: number } | undefined> {
    const path = this.pathOf(key)
    try {
      return { size: (await stat(path)).size }
    } catch (error) {
      if (isMissing(error)) return undefined
      throw storageUnavailable(error)
    }
  }

  async digest(key: string): Promise<StoredContent | undefined> {
    const content = await this.get(key)
    if (content === undefined) return undefined
    const hash = createHash('sha256')
    let size = 0
    try {
      for await (const chunk of content.stream) {
        size += (chunk as Buffer).length
        hash.update(chunk as Buffer)
      }
    } catch (error) {
      throw storageUnavailable(error)
    }
    return { size, sha256: hash.digest('hex') }
  }

  async delete(key: string): Promise<void> {
    await this.parts.drop(key)
    await onStorage(rm(this.pathOf(key), { force: true }))
  }

  /** Of a key there is one upload at most: it needs no other name. */
  async beginParts(key: string): Promise<string> {
    await this.parts.begin(key)
    return 'parts'
  }

  async presignPart(key: string, _uploadId: string, part: PartGrant): Promise<SignedUrl> {
    const { number, maxBytes } = part
    const grant = {
      method: 'PUT' as const,
      key,
      contentType: '',
      part: number,
      ...(maxBytes !== undefined && { maxBytes }),
    }
    return this.sign(grant, part.expiresInSeconds, {})
  }

  listParts(key: string): Promise<UploadedPart[] | undefined> {
    return this.parts.list(key)
  }

  async joinParts(key: string, _uploadId: string, parts: readonly UploadedPart[]): Promise<void> {
    await this.parts.join(key, parts, this.pathOf(key))
  }

  readonly putPart = (key: string, part: number, body: Readable, maxBytes?: number): Promise<UploadedPart> =>
    this.parts.put(key, part, body, maxBytes)

  async presignPut(key: string, options: PresignPutOptions): Promise<SignedUrl> {
    const { contentType, maxBytes } = options
    const grant = { method: 'PUT' as const, key, contentType, ...(maxBytes === undefined ? {} : { maxBytes }) }
    return this.sign(grant, options.expiresInSeconds, { 'content-type': contentType })
  }

  async presignGet(key: string, options: PresignGetOptions): Promise<SignedUrl> {
    const { contentType, filename } = options
    return this.sign({ method: 'GET', key, contentType, filename }, options.expiresInSeconds, {})
  }

  readonly verifySignedToken = (method: 'GET' | 'PUT', token: string): SignedGrant =>
    verifyToken(this.signingKeys, method, token, this.now())

  private sign(grant: SignedGrant, expiresInSeconds: number, headers: Record<string, string>): SignedUrl {
    assertKey(grant.key)
    const expiresAt = new Date(this.now().getTime() + expiresInSeconds * 1_000)
    const url = `${this.signedPath}${signToken(this.options.signingKey, grant, expiresAt)}`
    return { url, method: grant.method, headers, expiresAt }
  }

  private pathOf(key: string): string {
    return join(this.objects, assertKey(key))
  }

  private async openExisting(key: string): Promise<FileHandle | undefined> {
    const path = this.pathOf(key)
    try {
      return await open(path, 'r')
    } catch (error) {
      if (isMissing(error)) return undefined
      throw storageUnavailable(error)
    }
  }
}
