import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, makeComplete, startHarness, waitFor } from './harness.js'

let h: Harness
beforeAll(async () => {
  h = await startHarness()
})
afterAll(() => h.stop())

const content = (id: string, headers: Record<string, string> = {}) =>
  h.call('GET', `/api/v1/artifacts/${id}/content`, { headers })

describe('content', () => {
  test('is always an attachment that no browser runs', async () => {
    const id = await makeComplete(h, 'Übung "1".html', '<script>alert(1)</script>', { contentType: 'text/html' })
    const { status, headers } = await content(id)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html')
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="_bung _1_.html"; filename*=UTF-8''%C3%9Cbung%20%221%22.html`,
    )
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toMatch(/sandbox/)
  })

  test('a range of it', async () => {
    const id = await makeComplete(h, 'digits.txt', '0123456789')
    const part = await content(id, { range: 'bytes=2-4' })
    expect([
      part.status,
      part.bytes.toString(),
      part.headers.get('content-range'),
      part.headers.get('content-length'),
    ]).toEqual([206, '234', 'bytes 2-4/10', '3'])
    expect((await content(id, { range: 'bytes=-2' })).bytes.toString()).toBe('89')
    expect((await content(id, { range: 'bytes=8-' })).bytes.toString()).toBe('89')
    const whole = await content(id, { range: 'nonsense' })
    expect([whole.status, whole.bytes.toString(), whole.headers.get('accept-ranges')]).toEqual([
      200,
      '0123456789',
      'bytes',
    ])
  })

  test('a range outside of it', async () => {
    const id = await makeComplete(h, 'digits.txt', '0123456789')
    const outside = await content(id, { range: 'bytes=10-12' })
    expect([outside.status, outside.json.code, outside.headers.get('content-range')]).toEqual([
      416,
      'range_not_satisfiable',
      'bytes */10',
    ])
    expect(outside.headers.get('content-type')).toBe('application/problem+json')
  })

  test('a range on condition that the file is still the same', async () => {
    const id = await makeComplete(h, 'digits.txt', '0123456789')
    const etag = (await content(id)).headers.get('etag') ?? ''
    expect((await content(id, { range: 'bytes=0-1', 'if-range': etag })).status).toBe(206)
    expect((await content(id, { range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200)
  })

  test('its headers alone', async () => {
    const id = await makeComplete(h, 'digits.txt', '0123456789')
    const head = await h.call('HEAD', `/api/v1/artifacts/${id}/content`)
    expect([head.status, head.headers.get('content-length'), head.bytes.length]).toEqual([200, '10', 0])
  })

  test('of an upload that is not complete', async () => {
    const { id } = (await h.call('POST', '/api/v1/artifacts', { json: { name: 'a' } })).json
    const early = await content(id)
    expect([early.status, early.json.code]).toEqual([409, 'artifact_incomplete'])
  })

  test('large content arrives whole while others read too', async () => {
    const text = 'x'.repeat(5_000_000)
    const id = await makeComplete(h, 'large', text)
    const answers = await Promise.all(Array.from({ length: 4 }, () => content(id)))
    for (const answer of answers) expect(answer.bytes.length).toBe(text.length)
  })
})

describe('a signed download', () => {
  const presign = (id: string, json: unknown) => h.call('POST', `/api/v1/artifacts/${id}/presign`, { json })

  test('works without a token, ranges included, and says what it is', async () => {
    const id = await makeComplete(h, 'a.txt', 'hello')
    const signed = await presign(id, { expiresIn: 60 })
    expect([signed.status, signed.json.method]).toEqual([200, 'GET'])
    expect(Date.parse(signed.json.expiresAt) - Date.now()).toBeLessThanOrEqual(60_000)
    const whole = await h.call('GET', signed.json.url, { as: null })
    expect([whole.status, whole.bytes.toString()]).toEqual([200, 'hello'])
    expect(whole.headers.get('content-disposition')).toMatch(/^attachment/)
    const part = await h.call('GET', signed.json.url, { as: null, headers: { range: 'bytes=1-2' } })
    expect([part.status, part.bytes.toString()]).toEqual([206, 'el'])
  })

  test('works until its time and not beyond', async () => {
    const id = await makeComplete(h, 'a.txt', 'hello')
    const { url, expiresAt } = (await presign(id, { expiresIn: 1 })).json
    expect((await h.call('GET', url, { as: null })).status).toBe(200)
    const refused = await waitFor(async () => {
      const answer = await h.call('GET', url, { as: null })
      return answer.status !== 200 && answer
    })
    expect([refused.status, refused.json.code]).toEqual([403, 'signed_url_expired'])
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt))
  })

  test('works for its object and its method alone', async () => {
    const id = await makeComplete(h, 'a.txt', 'hello')
    const { url } = (await presign(id, { expiresIn: 60 })).json
    const put = await h.call('PUT', url, { as: null, body: 'x' })
    expect([put.status, put.json.code]).toEqual([403, 'signed_url_invalid'])
    const token = url.split('/').at(-1) as string
    const [payload = '', signature = ''] = token.split('.')
    const other = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(payload, 'base64url').toString()), key: 'x' }))
    for (const forged of [`${other.toString('base64url')}.${signature}`, `${payload}.`, payload, 'x', `${token}x`]) {
      const answer = await h.call('GET', `/api/v1/artifacts/signed/${forged}`, { as: null })
      expect([answer.status, answer.json.code]).toEqual([403, 'signed_url_invalid'])
    }
  })

  test('ends with the artifact', async () => {
    const id = await makeComplete(h, 'a.txt', 'hello')
    const { url } = (await presign(id, { expiresIn: 60 })).json
    await h.call('DELETE', `/api/v1/artifacts/${id}`)
    expect((await h.call('GET', url, { as: null })).status).toBe(404)
  })

  test('survives a restart of the service', async () => {
    const id = await makeComplete(h, 'a.txt', 'hello')
    const { url } = (await presign(id, { expiresIn: 60 })).json
    await h.restart()
    expect((await h.call('GET', url, { as: null })).bytes.toString()).toBe('hello')
  })

  test.each([0, 3601, -1, 1.5, '60', null])('cannot be had for %j seconds', async (expiresIn) => {
    const id = await makeComplete(h, 'a.txt', 'hello')
    expect((await presign(id, { expiresIn })).status).toBe(422)
  })

  test('cannot be had for an upload that is not complete', async () => {
    const { id } = (await h.call('POST', '/api/v1/artifacts', { json: { name: 'a' } })).json
    expect((await presign(id, { expiresIn: 60 })).status).toBe(409)
  })
})

describe('lists', () => {
  test('newest first, filtered, page by page', async () => {
    const runId = randomUUID()
    const ids: string[] = []
    for (let i = 0; i < 5; i += 1) ids.push(await makeComplete(h, `f${i % 2}.txt`, 'x', { runId, task: `t${i}` }))
    await makeComplete(h, 'other.txt', 'x')
    const list = async (query: string) => (await h.call('GET', `/api/v1/artifacts?${query}`)).json
    const named = (page: { items: { id: string }[] }) => page.items.map((item) => item.id)
    const newestFirst = [...ids].reverse()
    expect(named(await list(`run=${runId}`))).toEqual(newestFirst)
    expect(named(await list(`run=${runId}&name=f1.txt`))).toEqual([ids[3], ids[1]])
    expect(named(await list(`run=${runId}&task=t2`))).toEqual([ids[2]])
    expect(await list('run=nonsense')).toEqual({ items: [], nextCursor: null })
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: { items: { id: string }[]; nextCursor: string | null } = await list(
        `run=${runId}&limit=2${cursor && `&cursor=${cursor}`}`,
      )
      seen.push(...named(page))
      cursor = page.nextCursor
    }
    expect(seen).toEqual(newestFirst)
  })

  test.each(['limit=0', 'limit=201', 'limit=x', 'cursor=forged', 'cursor=e30'])('%s is refused', async (query) => {
    expect((await h.call('GET', `/api/v1/artifacts?${query}`)).status).toBe(422)
  })
})

describe('deleting', () => {
  test('takes the artifact at once and its bytes soon', async () => {
    const id = await makeComplete(h, 'a.txt', 'hello')
    const [{ object_key: key }] = (await h.pool.query('select object_key from artifacts where id = $1', [id])).rows
    expect((await h.call('DELETE', `/api/v1/artifacts/${id}`)).status).toBe(204)
    expect((await h.call('GET', `/api/v1/artifacts/${id}`)).status).toBe(404)
    expect((await h.call('DELETE', `/api/v1/artifacts/${id}`)).status).toBe(404)
    const { access } = await import('node:fs/promises')
    await waitFor(
      async () =>
        await access(`${h.directory}/objects/${key}`).then(
          () => false,
          () => true,
        ),
    )
    await waitFor(async () => (await h.pool.query('select from object_trash')).rowCount === 0)
    const last = (await h.events('audit.recorded')).at(-1)
    expect(last).toMatchObject({ action: 'artifact.deleted', target: `artifact:${id}`, outcome: 'success' })
  })
})
