import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { conflict, notFound } from '@millrace/errors'
import { assertKey, type UploadedPart } from './object-store.js'
import { isMissing, onStorage, storageUnavailable } from './storage-error.js'
import { writeObject } from './write-object.js'

/** `number.digest`: what a part is can be told from its name. */
const partName = /^(\d{1,5})\.([0-9a-f]{64})$/

const noUpload = () => notFound('upload_not_found', 'There is no such upload.')

/** Parts of uploads under way, a folder for each object that is to be. */
export class FileParts {
  private readonly joining = new Set<string>()

  constructor(
    private readonly directory: string,
    private readonly temporary: string,
  ) {}

  async begin(key: string): Promise<void> {
    await onStorage(mkdir(this.folderOf(key), { recursive: true, mode: 0o700 }))
  }

  async put(key: string, number: number, body: Readable, maxBytes: number | undefined): Promise<UploadedPart> {
    const folder = this.folderOf(key)
    if ((await this.names(key)) === undefined) throw noUpload()
    const arrived = join(this.temporary, `${randomUUID()}.whole`)
    const limits = { contentType: '', ...(maxBytes === undefined ? {} : { maxBytes }) }
    const { size, sha256 } = await writeObject({ temporary: this.temporary, target: arrived }, body, limits)
    const own = `${number}.${sha256}`
    try {
      await rename(arrived, join(folder, own))
    } catch (error) {
      await rm(arrived, { force: true })
      throw isMissing(error) ? noUpload() : storageUnavailable(error)
    }
    // Another content of the same number goes once this one is in place.
    for (const name of await onStorage(readdir(folder))) {
      if (name !== own && name.startsWith(`${number}.`)) await onStorage(rm(join(folder, name), { force: true }))
    }
    return { number, size, etag: sha256 }
  }

  async list(key: string): Promise<UploadedPart[] | undefined> {
    const names = await this.names(key)
    if (names === undefined) return undefined
    const parts = await Promise.all(names.map((name) => this.partOf(key, name)))
    return parts.filter((part) => part !== undefined).sort((a, b) => a.number - b.number)
  }

  /** One at a time for each key: the store belongs to one process. */
  async join(key: string, parts: readonly UploadedPart[], target: string): Promise<void> {
    if (this.joining.has(key)) throw conflict('upload_completing', 'The parts of this upload are being joined.')
    this.joining.add(key)
    try {
      const content = Readable.from(this.contentOf(key, parts), { objectMode: false })
      await writeObject({ temporary: this.temporary, target }, content, { contentType: '' })
      await this.drop(key)
    } finally {
      this.joining.delete(key)
    }
  }

  async drop(key: string): Promise<void> {
    await onStorage(rm(this.folderOf(key), { recursive: true, force: true }))
  }

  private async *contentOf(key: string, parts: readonly UploadedPart[]): AsyncGenerator<Buffer> {
    for (const { number, etag } of parts) {
      const file = await open(join(this.folderOf(key), `${number}.${etag}`), 'r')
      for await (const chunk of file.createReadStream()) yield chunk as Buffer
    }
  }

  private async names(key: string): Promise<string[] | undefined> {
    try {
      return await readdir(this.folderOf(key))
    } catch (error) {
      if (isMissing(error)) return undefined
      throw storageUnavailable(error)
    }
  }

  private async partOf(key: string, name: string): Promise<UploadedPart | undefined> {
    const [, number, etag] = partName.exec(name) ?? []
    if (number === undefined || etag === undefined) return undefined
    try {
      return { number: Number(number), etag, size: (await stat(join(this.folderOf(key), name))).size }
    } catch (error) {
      // Replaced meanwhile.
      if (isMissing(error)) return undefined
      throw storageUnavailable(error)
    }
  }

  private folderOf(key: string): string {
    return join(this.directory, assertKey(key))
  }
}
