import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { minioSpec, type ServerProcess, startServer } from '@millrace/stack-servers'
import { freePort } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { objectStoreContract } from '../../src/contract.js'
import { createS3ObjectStore, type ObjectStore, type SignedUrl } from '../../src/index.js'

const credentials = { accessKeyId: 'millrace-test', secretAccessKey: 'a-secret-for-tests' }
let folder: string
let server: ServerProcess
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-minio-'))
  const { accessKeyId: accessKey, secretAccessKey: secretKey } = credentials
  const spec = await minioSpec({ directory: join(folder, 'data'), port: await freePort(), accessKey, secretKey })
  server = await startServer(spec, join(folder, 'minio.log'))
}, 900_000)
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function newStore(publicUrl?: string): Promise<ObjectStore> {
  const endpoint = `http://${server.spec.address}`
  const store = createS3ObjectStore({
    endpoint,
    publicUrl,
    credentials,
    region: 'us-east-1',
    bucket: `b-${randomUUID()}`,
  })
  await store.prepare()
  return store
}

async function request({ url, method, headers }: SignedUrl, body?: Buffer): Promise<{ ok: boolean; body: Buffer }> {
  const reply = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: new Uint8Array(body) }) })
  return { ok: reply.ok, body: Buffer.from(await reply.arrayBuffer()) }
}

objectStoreContract('S3', async () => ({ store: await newStore(), request, destroy: async () => undefined }))

describe('the S3 store', () => {
  it('may be prepared again and by several at once', async () => {
    const store = await newStore()
    await Promise.all([store.prepare(), store.prepare()])
  })

  it('puts what is larger than a part in parts, and takes a break in the middle back', async () => {
    const store = await newStore()
    const content = randomBytes(20 * 1024 * 1024 + 3)
    const chunks = (n: number) =>
      Array.from({ length: n }, (_, i) => content.subarray(i * 1_000_000, (i + 1) * 1_000_000))
    const stored = await store.put('big', Readable.from(chunks(21)), { contentType: 'application/octet-stream' })
    expect(stored).toEqual({ size: content.length, sha256: createHash('sha256').update(content).digest('hex') })
    const tail = await store.get('big', { start: content.length - 5, end: content.length - 1 })
    expect(tail && (await buffer(tail.stream))).toEqual(content.subarray(-5))
    const broken = Readable.from(
      (async function* () {
        yield* chunks(18)
        throw new Error('the line went dead')
      })(),
    )
    await expect(store.put('big', broken, { contentType: 'text/plain' })).rejects.toMatchObject({
      reason: 'upload_interrupted',
    })
    expect(await store.head('big')).toEqual({ size: content.length })
  })

  it('signs URLs for the address that clients outside know, as downloads under their name', async () => {
    const outside = `http://localhost:${server.spec.address.split(':')[1]}`
    const store = await newStore(outside)
    await store.put('k', Readable.from([Buffer.from('<script>')]), { contentType: 'text/html' })
    const signed = await store.presignGet('k', {
      expiresInSeconds: 60,
      filename: 'größe "1".html',
      contentType: 'text/html',
    })
    expect(signed.url.startsWith(`${outside}/`)).toBe(true)
    const reply = await fetch(signed.url)
    expect(await reply.text()).toBe('<script>')
    expect(reply.headers.get('content-disposition')).toBe(
      `attachment; filename="gr__e _1_.html"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%221%22.html`,
    )
  })

  it('takes one upload, of the signed type of content alone', async () => {
    const store = await newStore()
    const signed = await store.presignPut('k', { expiresInSeconds: 60, contentType: 'text/plain' })
    const other = { ...signed, headers: { ...signed.headers, 'content-type': 'text/html' } }
    expect((await request(other, Buffer.from('x'))).ok).toBe(false)
    const unconditional = { ...signed, headers: { 'content-type': 'text/plain' } }
    expect((await request(unconditional, Buffer.from('x'))).ok).toBe(false)
    expect((await request(signed, Buffer.from('x'))).ok).toBe(true)
    expect((await request(signed, Buffer.from('y'))).ok).toBe(false)
    expect(await store.head('k')).toEqual({ size: 1 })
  })

  it('is an unavailable storage while the server is down, and whole when it is back', async () => {
    const store = await newStore()
    await store.put('k', Readable.from([Buffer.from('kept')]), { contentType: 'text/plain' })
    await server.kill()
    const down = { code: 'unavailable', reason: 'storage_unavailable', retryable: true }
    await expect(store.head('k')).rejects.toMatchObject(down)
    const put = store.put('k', Readable.from([Buffer.from('lost')]), { contentType: 'text/plain' })
    await expect(put).rejects.toMatchObject(down)
    server = await startServer(server.spec, server.logFile)
    const found = await store.get('k')
    expect(found && (await buffer(found.stream)).toString()).toBe('kept')
  })
})
