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
