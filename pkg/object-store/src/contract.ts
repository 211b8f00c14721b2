import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { MIN_PART_BYTES, type ObjectStore, type SignedUrl } from './object-store.js'

export interface ObjectStoreFixture {
  store: ObjectStore
  /** Uses a signed URL as an outsider would. */
  request(signed: SignedUrl, body?: Buffer): Promise<{ ok: boolean; body: Buffer }>
  destroy(): Promise<void>
}

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex')
const plain = { contentType: 'application/octet-stream' }

async function read(store: ObjectStore, key: string, range?: { start: number; end: number }) {
  const content = await store.get(key, range)
  return content && { size: content.size, body: await buffer(content.stream) }
}

/** What every adapter of the object store must do. */
export function objectStoreContract(name: string, makeFixture: () => Promise<ObjectStoreFixture>): void {
  describe(`object store: ${name}`, () => {
    let fixture: ObjectStoreFixture
    beforeEach(async () => {
      fixture = await makeFixture()
    })
    afterEach(() => fixture.destroy())
    const use = () => fixture
    contentContract(use)
    interruptionContract(use)
    signedContract(use)
    partsContract(use)
  })
}

function contentContract(use: () => ObjectStoreFixture): void {
  test('what is put comes back, with its size and digest', async () => {
    const { store } = use()
    const content = randomBytes(300_000)
    const expected = { size: content.length, sha256: sha256(content) }
    expect(await store.put('a/b-1.x', Readable.from([content.subarray(0, 7), content.subarray(7)]), plain)).toEqual(
      expected,
    )
    expect(await read(store, 'a/b-1.x')).toEqual({ size: content.length, body: content })
    expect(await store.head('a/b-1.x')).toMatchObject({ size: content.length })
    expect(await store.digest('a/b-1.x')).toEqual(expected)
  })

  test('an empty object is an object', async () => {
    const { store } = use()
    expect(await store.put('empty', Readable.from([]), plain)).toEqual({ size: 0, sha256: sha256(Buffer.alloc(0)) })
    expect(await read(store, 'empty')).toEqual({ size: 0, body: Buffer.alloc(0) })
  })

  test('a range gives those bytes and the size of the whole', async () => {
    const { store } = use()
    await store.put('k', Readable.from([Buffer.from('0123456789')]), plain)
    expect(await read(store, 'k', { start: 2, end: 4 })).toEqual({ size: 10, body: Buffer.from('234') })
    expect(await read(store, 'k', { start: 9, end: 9 })).toEqual({ size: 10, body: Buffer.from('9') })
  })

  test('a second put replaces the first', async () => {
    const { store } = use()
    await store.put('k', Readable.from([Buffer.from('first, and longer')]), plain)
    await store.put('k', Readable.from([Buffer.from('second')]), plain)
    expect(await read(store, 'k')).toEqual({ size: 6, body: Buffer.from('second') })
  })

  test('what is deleted, or never was, is absent; deleting it again is no fault', async () => {
    const { store } = use()
    await store.put('k', Readable.from([Buffer.from('x')]), plain)
    await store.delete('k')
    await store.delete('k')
    expect([await store.get('k'), await store.head('k'), await store.digest('never')]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  test.each(['', '../x', 'a/../b', '/a', 'a//b', 'A', 'a b', 'a\0', '.a', 'a/'])('%j is no key', async (key) => {
    const { store } = use()
    await expect(store.put(key, Readable.from([]), plain)).rejects.toThrow('not an object key')
    await expect(store.get(key)).rejects.toThrow('not an object key')
  })
}

function interruptionContract(use: () => ObjectStoreFixture): void {
  test('an upload that breaks off leaves what was there before', async () => {
    const { store } = use()
    await store.put('k', Readable.from([Buffer.from('whole')]), plain)
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from('ha')
        throw new Error('the line went dead')
      })(),
    )
    await expect(store.put('k', broken, plain)).rejects.toMatchObject({ reason: 'upload_interrupted' })
    expect(await read(store, 'k')).toEqual({ size: 5, body: Buffer.from('whole') })
  })

  test('more than allowed is refused, and nothing of it kept', async () => {
    const { store } = use()
    const body = Readable.from([Buffer.alloc(600), Buffer.alloc(600)])
    await expect(store.put('k', body, { ...plain, maxBytes: 1_000 })).rejects.toMatchObject({ code: 'too_large' })
    expect(await store.head('k')).toBeUndefined()
  })

  test('of many who write one key at once, one wins whole', async () => {
    const { store } = use()
    const contents = Array.from({ length: 8 }, (_, i) => Buffer.alloc(50_000 + i, i))
    await Promise.all(contents.map((content) => store.put('k', Readable.from([content]), plain)))
    const winner = await read(store, 'k')
    expect(contents.some((content) => winner !== undefined && content.equals(winner.body))).toBe(true)
  })
}

function partsContract(use: () => ObjectStoreFixture): void {
  const part = (number: number) => ({ number, expiresInSeconds: 60 })
  const whole = randomBytes(MIN_PART_BYTES + 1_000)
  const cut = [whole.subarray(0, MIN_PART_BYTES), whole.subarray(MIN_PART_BYTES)]

  test('an object is uploaded in parts, in any order, one of them twice, and joined whole', async () => {
    const { store, request } = use()
    const uploadId = await store.beginParts('k', plain)
    expect(await store.listParts('k', uploadId)).toEqual([])
    const send = async (number: number, body: Buffer) =>
      expect((await request(await store.presignPart('k', uploadId, part(number)), body)).ok).toBe(true)
    await send(2, cut[1] as Buffer)
    await send(1, randomBytes(100))
    await send(1, cut[0] as Buffer)
    const parts = (await store.listParts('k', uploadId)) ?? []
    expect(parts.map(({ number, size }) => [number, size])).toEqual([
      [1, MIN_PART_BYTES],
      [2, 1_000],
    ])
    expect(await store.head('k')).toBeUndefined()
    await store.joinParts('k', uploadId, parts)
    expect(await store.digest('k')).toEqual({ size: whole.length, sha256: sha256(whole) })
    expect(await store.listParts('k', uploadId)).toBeUndefined()
    const late = await store.presignPart('k', uploadId, part(1))
    expect((await request(late, Buffer.from('late'))).ok).toBe(false)
    expect(await store.digest('k')).toEqual({ size: whole.length, sha256: sha256(whole) })
  })

  test('what is dropped takes its parts along; a URL of a part works for that part alone', async () => {
    const { store, request } = use()
    const uploadId = await store.beginParts('k', plain)
    const signed = await store.presignPart('k', uploadId, part(1))
    expect((await request({ ...signed, method: 'GET' })).ok).toBe(false)
    const at = signed.url.length - 5
    const url = signed.url.slice(0, at) + (signed.url[at] === 'A' ? 'B' : 'A') + signed.url.slice(at + 1)
    expect((await request({ ...signed, url }, Buffer.from('x'))).ok).toBe(false)
    expect((await request(signed, Buffer.from('x'))).ok).toBe(true)
    await store.delete('k')
    expect(await store.listParts('k', uploadId)).toBeUndefined()
    expect((await request(signed, Buffer.from('x'))).ok).toBe(false)
  })
}

function signedContract(use: () => ObjectStoreFixture): void {
  const get = { expiresInSeconds: 60, filename: 'f.txt', contentType: 'text/plain' }

  test('a signed URL uploads, another downloads, without further credentials', async () => {
    const { store, request } = use()
    const upload = await store.presignPut('k', { expiresInSeconds: 60, contentType: 'text/plain' })
    expect(upload.method).toBe('PUT')
    expect((await request(upload, Buffer.from('hello'))).ok).toBe(true)
    const download = await store.presignGet('k', get)
    expect(download.expiresAt.getTime() - Date.now()).toBeLessThanOrEqual(60_000)
    expect(await request(download)).toEqual({ ok: true, body: Buffer.from('hello') })
  })

  test('a signed URL works for its object and its method alone', async () => {
    const { store, request } = use()
    await store.put('mine', Readable.from([Buffer.from('mine')]), plain)
    await store.put('other', Readable.from([Buffer.from('other')]), plain)
    const signed = await store.presignGet('mine', get)
    expect((await request({ ...signed, method: 'PUT' }, Buffer.from('x'))).ok).toBe(false)
    for (const at of [signed.url.length - 1, signed.url.length - 30, signed.url.length - 80]) {
      const swapped = signed.url[at] === 'A' ? 'B' : 'A'
      const url = signed.url.slice(0, at) + swapped + signed.url.slice(at + 1)
      expect((await request({ ...signed, url })).ok).toBe(false)
    }
    expect((await request(await store.presignGet('absent', get))).ok).toBe(false)
  })

  test('a signed URL stops working when its time is over', async () => {
    const { store, request } = use()
    await store.put('k', Readable.from([Buffer.from('x')]), plain)
    // Some stores count whole seconds from the last one that began.
    const signed = await store.presignGet('k', { ...get, expiresInSeconds: 2 })
    expect((await request(signed)).ok).toBe(true)
    await expect.poll(async () => (await request(signed)).ok, { timeout: 8_000 }).toBe(false)
    expect(Date.now()).toBeGreaterThanOrEqual(signed.expiresAt.getTime())
  })
}
