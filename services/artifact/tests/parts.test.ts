import { createHash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, startHarness, waitFor } from './harness.js'

const MiB = 1024 * 1024
let h: Harness
beforeAll(async () => {
  h = await startHarness({ sweepMs: 100, pendingMs: 3_600_000 })
})
afterAll(() => h.stop())

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')
const first = randomBytes(5 * MiB)
const last = randomBytes(1_000)
const whole = Buffer.concat([first, last])

async function announce(extra: object = {}): Promise<string> {
  const json = { name: 'large.bin', size: whole.length, sha256: sha256(whole), ...extra }
  return (await h.call('POST', '/api/v1/artifacts', { json })).json.id
}
const ask = (id: string, count = 2) => h.call('POST', `/api/v1/artifacts/${id}/parts`, { json: { count } })
const send = (url: string, body: Buffer) => h.call('PUT', url, { as: null, body: new Uint8Array(body) })
const complete = (id: string, parts: object[]) =>
  h.call('POST', `/api/v1/artifacts/${id}/complete`, { json: { parts } })
const partFolders = async () => await readdir(join(h.directory, 'parts', h.projectId)).catch(() => [])

test('a file is uploaded in parts, interrupted by a restart, resumed and joined', async () => {
  const id = await announce()
  const begun = await ask(id)
  expect(begun.status).toBe(200)
  expect(begun.json).toMatchObject({ id, parts: [{ number: 1, uploaded: false, method: 'PUT' }, { number: 2 }] })
  const sent = await send(begun.json.parts[1].url, last)
  expect([sent.status, sent.headers.get('etag')]).toEqual([200, `"${sha256(last)}"`])
  await h.restart()
  const resumed = await ask(id)
  expect(resumed.json.parts).toMatchObject([
    { number: 1, uploaded: false },
    { number: 2, uploaded: true, size: last.length, etag: sha256(last) },
  ])
  expect((await send(resumed.json.parts[0].url, first)).status).toBe(200)
  const named = [
    { number: 1, etag: sha256(first) },
    { number: 2, etag: `"${sha256(last)}"` },
  ]
  const done = await complete(id, named)
  expect([done.status, done.json]).toMatchObject([
    200,
    { state: 'complete', size: whole.length, sha256: sha256(whole) },
  ])
  expect((await complete(id, named)).status).toBe(200)
  const content = await h.call('GET', `/api/v1/artifacts/${id}/content`)
  expect(sha256(content.bytes)).toBe(sha256(whole))
  expect((await send(resumed.json.parts[0].url, last)).status).toBe(409)
  expect((await ask(id)).status).toBe(409)
  expect(await partFolders()).toEqual([])
})

test('parts that are missing, changed, out of order or too small are refused, and may be mended', async () => {
  const id = await announce()
  expect((await complete(id, [{ number: 1, etag: 'x' }])).json).toMatchObject({ status: 422, code: 'no_parts' })
  const { parts } = (await ask(id)).json
  await send(parts[0].url, last)
  await send(parts[1].url, last)
  const [a, b] = [sha256(first), sha256(last)]
  const fault = async (named: object[]) => (await complete(id, named)).json.code
  expect(
    await fault([
      { number: 1, etag: b },
      { number: 2, etag: b },
    ]),
  ).toBe('part_too_small')
  await send(parts[0].url, first)
  expect(
    await fault([
      { number: 1, etag: b },
      { number: 2, etag: b },
    ]),
  ).toBe('part_mismatch')
  expect(
    await fault([
      { number: 2, etag: b },
      { number: 1, etag: a },
    ]),
  ).toBe('part_order')
  const beyond = await complete(id, [
    { number: 1, etag: a },
    { number: 2, etag: b },
    { number: 3, etag: b },
  ])
  expect(beyond.json.errors.map(({ code }: { code: string }) => code)).toEqual(['part_too_small', 'part_missing'])
  expect(await fault([{ number: 1, etag: a }])).toBe('size_mismatch')
  for (const json of [{ parts: [] }, { parts: [{ number: 1 }] }, { parts: [{ number: 0, etag: 'x' }] }]) {
    expect((await h.call('POST', `/api/v1/artifacts/${id}/complete`, { json })).status).toBe(422)
  }
  expect((await ask(id, 0)).status).toBe(422)
  expect((await ask(id, 1_001)).status).toBe(422)
  expect(
    (
      await complete(id, [
        { number: 1, etag: a },
        { number: 2, etag: b },
      ])
    ).status,
  ).toBe(200)
})

test('another digest than was announced is refused; another upload may begin', async () => {
  const id = await announce({ sha256: sha256(last) })
  const { parts } = (await ask(id)).json
  await send(parts[0].url, first)
  await send(parts[1].url, last)
  const named = [
    { number: 1, etag: sha256(first) },
    { number: 2, etag: sha256(last) },
  ]
  expect((await complete(id, named)).json).toMatchObject({ status: 422, code: 'sha256_mismatch' })
  expect((await send(parts[0].url, first)).status).toBe(404)
  expect((await ask(id)).json.parts).toMatchObject([{ uploaded: false }, { uploaded: false }])
})

test('a changed URL, a part too large and a stranger are refused', async () => {
  const id = await announce()
  const { parts, maxPartBytes } = (await ask(id, 1_000)).json
  const changed = `${parts[0].url.slice(0, -3)}abc`
  expect((await send(changed, last)).status).toBe(403)
  expect((await send(parts[0].url, Buffer.alloc(maxPartBytes + 1))).status).toBe(413)
  const stranger = { as: { projectId: '00000000-0000-4000-8000-000000000000' }, json: { count: 1 } }
  expect((await h.call('POST', `/api/v1/artifacts/${id}/parts`, stranger)).status).toBe(404)
  expect(
    (await h.call('POST', `/api/v1/artifacts/${id}/parts`, { as: { role: 'viewer' }, json: { count: 1 } })).status,
  ).toBe(403)
})

test('parts of an upload that nobody completes are swept', async () => {
  const id = await announce()
  const { parts } = (await ask(id)).json
  await send(parts[1].url, last)
  expect(await partFolders()).toContainEqual(expect.stringContaining(id))
  await h.pool.query(
    `update object_trash set delete_after = clock_timestamp() where object_key like '%' || $1 || '%'`,
    [id],
  )
  await waitFor(async () => !(await partFolders()).some((name) => name.includes(id)))
  expect((await send(parts[0].url, first)).status).toBe(404)
  const again = (await ask(id)).json.parts
  expect((await send(again[0].url, first)).status).toBe(200)
})

test('some hundred megabytes pass through in flat memory', async () => {
  const part = randomBytes(16 * MiB)
  const count = 12
  const { id } = (await h.call('POST', '/api/v1/artifacts', { json: { name: 'huge.bin' } })).json
  const { parts } = (await ask(id, count)).json
  for (const { url } of parts) expect((await send(url, part)).status).toBe(200)
  const before = process.memoryUsage().rss
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 20)
  const done = await complete(
    id,
    parts.map(({ number }: { number: number }) => ({ number, etag: sha256(part) })),
  )
  clearInterval(watch)
  expect(done.json).toMatchObject({ state: 'complete', size: count * part.length })
  expect(most - before).toBeLessThan(100 * MiB)
})
