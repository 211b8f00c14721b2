import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ObjectStoreFixture, objectStoreContract } from '../src/contract.js'
import { createFileObjectStore, type ObjectStore, storageUnavailable } from '../src/index.js'

const signingKey = Buffer.alloc(32, 7)
async function prepared(options: Parameters<typeof createFileObjectStore>[0]): Promise<ObjectStore> {
  const store = createFileObjectStore(options)
  await store.prepare()
  return store
}

const plain = { contentType: 'text/plain' }

async function fixture(): Promise<ObjectStoreFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-objects-'))
  const store = await prepared({ directory, signingKey })
  return {
    store,
    async request(signed, body) {
      try {
        const token = signed.url.split('/').at(-1) ?? ''
        const grant = store.verifySignedToken?.(signed.method, token)
        if (grant === undefined) return { ok: false, body: Buffer.alloc(0) }
        if (grant.part !== undefined) {
          await store.putPart?.(grant.key, grant.part, Readable.from([body ?? Buffer.alloc(0)]), grant.maxBytes)
          return { ok: true, body: Buffer.alloc(0) }
        }
        if (signed.method === 'PUT') {
          await store.put(grant.key, Readable.from([body ?? Buffer.alloc(0)]), plain)
          return { ok: true, body: Buffer.alloc(0) }
        }
        const content = await store.get(grant.key)
        return content ? { ok: true, body: await buffer(content.stream) } : { ok: false, body: Buffer.alloc(0) }
      } catch {
        return { ok: false, body: Buffer.alloc(0) }
      }
    },
    destroy: () => rm(directory, { recursive: true }),
  }
}

objectStoreContract('filesystem', fixture)

describe('the filesystem store', () => {
  let directory: string
  let store: ObjectStore
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'millrace-objects-'))
    store = await prepared({ directory, signingKey })
  })
  afterEach(() => rm(directory, { recursive: true }))

  test('half-written files of an earlier life are gone after a start, whole objects are not', async () => {
    await store.put('k', Readable.from([Buffer.from('x')]), plain)
    await writeFile(join(directory, 'incoming', 'left-over.part'), 'half')
    const again = await prepared({ directory, signingKey })
    expect(await readdir(join(directory, 'incoming'))).toEqual([])
    expect(await again.head('k')).toEqual({ size: 1 })
  })

  test('a failed upload leaves no temporary file', async () => {
    const endless = Readable.from([Buffer.alloc(10), Buffer.alloc(10)])
    await store.put('k', endless, { ...plain, maxBytes: 15 }).catch(() => undefined)
    expect(await readdir(join(directory, 'incoming'))).toEqual([])
  })

  test('a request whose body was refused can still be answered', async () => {
    const body = Readable.from([Buffer.alloc(10), Buffer.alloc(10), Buffer.alloc(10)])
    await store.put('k', body, { ...plain, maxBytes: 15 }).catch(() => undefined)
    expect(body.destroyed).toBe(false)
  })

  test('a disk that cannot be written to is an unavailable storage', async () => {
    await rm(join(directory, 'incoming'), { recursive: true })
    const put = store.put('k', Readable.from([Buffer.from('x')]), plain)
    await expect(put).rejects.toMatchObject({ code: 'unavailable', reason: 'storage_unavailable' })
    await mkdir(join(directory, 'incoming'))
    await store.put('k', Readable.from([Buffer.from('x')]), plain)
  })

  test('a full disk is an unavailable storage, said as such', () => {
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    expect(storageUnavailable(full)).toMatchObject({
      code: 'unavailable',
      reason: 'storage_unavailable',
      message: 'The storage is full.',
    })
  })

  test('another key signs nothing that this one accepts', async () => {
    const stranger = await prepared({ directory, signingKey: Buffer.alloc(32, 8) })
    const signed = await stranger.presignGet('k', { expiresInSeconds: 60, filename: 'f', contentType: 'x' })
    const token = signed.url.split('/').at(-1) ?? ''
    expect(() => store.verifySignedToken?.('GET', token)).toThrow(/not valid/)
  })

  test.each(['', '.', 'a', 'a.b', 'a.b.c', 'e30.', '%', '{}.{}'])('%j is no token', (token) => {
    expect(() => store.verifySignedToken?.('GET', token)).toThrow(/not valid/)
  })
})
