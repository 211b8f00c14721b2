import { randomBytes } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { type Harness, makeComplete, startHarness, waitFor } from './harness.js'

let h: Harness
afterEach(() => h.stop())

const announce = async () => (await h.call('POST', '/api/v1/artifacts', { json: { name: 'a.bin', size: 3 } })).json
const partsOf = async (id: string) =>
  (await h.call('POST', `/api/v1/artifacts/${id}/parts`, { json: { count: 1 } })).json.parts

test.each([
  [undefined, ''],
  ['https://millrace.example', 'https://millrace.example'],
  ['https://millrace.example/behind/', 'https://millrace.example/behind'],
])('with the public URL %s every signed URL begins with "%s", and works there', async (publicUrl, origin) => {
  h = await startHarness({}, {}, { publicUrl })
  const { id, uploadUrl } = await announce()
  const [part] = await partsOf(id)
  const done = await makeComplete(h, 'b.txt', 'abc')
  const { url } = (await h.call('POST', `/api/v1/artifacts/${done}/presign`, { json: { expiresIn: 60 } })).json
  for (const one of [uploadUrl, part.url, url]) expect(one).toMatch(new RegExp(`^${origin}/api/v1/artifacts/signed/`))
  const path = url.slice(origin.length)
  expect((await h.call('GET', path, { as: null })).bytes.toString()).toBe('abc')
})

test('URLs signed before the master key was replaced work until they end, and no longer than the key before is given', async () => {
  const files = { directory: '', signingKey: randomBytes(32) }
  const settings: { files: { directory: string; signingKey: Buffer; previousSigningKey?: Buffer } } = { files }
  h = await startHarness({}, {}, settings)
  const { uploadUrl } = await announce()
  const done = await makeComplete(h, 'b.txt', 'abc')
  const presign = async (): Promise<string> =>
    (await h.call('POST', `/api/v1/artifacts/${done}/presign`, { json: { expiresIn: 60 } })).json.url
  const before = await presign()
  const statusOf = async (url: string) => (await h.call('GET', url, { as: null })).status
  const [old, present] = [files.signingKey, randomBytes(32)]
  settings.files = { ...files, signingKey: present, previousSigningKey: old }
  await h.restart()
  expect(await statusOf(before)).toBe(200)
  expect((await h.call('PUT', uploadUrl, { as: null, body: 'abc' })).status).toBe(200)
  const since = await presign()
  settings.files = { ...files, signingKey: present }
  await h.restart()
  expect([await statusOf(since), await statusOf(before)]).toEqual([200, 403])
})

test('the URL of a part ends with its time, and another may be had', async () => {
  h = await startHarness({ uploadUrlSeconds: 1 })
  const { id } = await announce()
  const ask = async () => (await h.call('POST', `/api/v1/artifacts/${id}/parts`, { json: { count: 1 } })).json
  const send = (url: string) => h.call('PUT', url, { as: null, body: 'abc' })
  const { parts, expiresAt } = await ask()
  await waitFor(() => Date.now() > Date.parse(expiresAt))
  const refused = await send(parts[0].url)
  expect([refused.status, refused.json.code]).toEqual([403, 'signed_url_expired'])
  expect((await send((await ask()).parts[0].url)).status).toBe(200)
})
