import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, makeComplete, startHarness, waitFor } from './harness.js'

let h: Harness
beforeAll(async () => {
  h = await startHarness({ maxBytes: 3_000_000, sweepMs: 100 })
})
afterAll(() => h.stop())

const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest('hex')
const create = (json: object) => h.call('POST', '/api/v1/artifacts', { json })
const complete = (id: string) => h.call('POST', `/api/v1/artifacts/${id}/complete`)
const objects = async () => {
  const folder = join(h.directory, 'objects', h.projectId)
  return await readdir(folder).catch(() => [])
}

describe('announce, upload by signed URL, complete', () => {
  test('the whole way, without a token for the upload', async () => {
    const content = randomBytes(1_000_000)
    const runId = randomUUID()
    const announced = {
      name: 'report.bin',
      runId,
      task: 'build',
      contentType: 'application/pdf',
      size: content.length,
      sha256: sha256(content),
    }
    const created = await create(announced)
    expect(created.status).toBe(201)
    expect(created.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      uploadUrl: expect.stringMatching(/^\/api\/v1\/artifacts\/signed\//),
      uploadMethod: 'PUT',
      uploadHeaders: { 'content-type': 'application/pdf' },
      expiresAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    })
    const { id, uploadUrl, uploadHeaders } = created.json
    const pending = await h.call('GET', `/api/v1/artifacts/${id}`)
    expect(pending.json).toMatchObject({ state: 'pending', name: 'report.bin', size: content.length })
    const uploaded = await h.call('PUT', uploadUrl, { as: null, body: new Uint8Array(content), headers: uploadHeaders })
    expect([uploaded.status, uploaded.json]).toEqual([200, { size: content.length, sha256: sha256(content) }])
    const done = await complete(id)
    expect(done.status).toBe(200)
    expect(done.json).toEqual({
      ...announced,
      id,
      state: 'complete',
      createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    })
    expect((await h.events('artifact.created')).at(-1)).toEqual({
      artifactId: id,
      projectId: h.projectId,
      ...announced,
    })
    const actions = (await h.events('audit.recorded')).map((data) => (data as { action: string }).action)
    expect(actions.slice(-2)).toEqual(['artifact.created', 'artifact.completed'])
    expect((await h.call('GET', `/api/v1/artifacts/${id}/content`)).bytes.equals(content)).toBe(true)
  })

  test('completing again changes nothing and answers the same', async () => {
    const id = await makeComplete(h, 'twice.txt', 'hello')
    const before = (await h.events('artifact.created')).length
    const again = await complete(id)
    expect([again.status, again.json.state]).toEqual([200, 'complete'])
    expect((await h.events('artifact.created')).length).toBe(before)
  })

  test('many completions at once make one event', async () => {
    const { id, uploadUrl } = (await create({ name: 'race.txt' })).json
    await h.call('PUT', uploadUrl, { as: null, body: 'x' })
    const before = (await h.events('artifact.created')).length
    const answers = await Promise.all(Array.from({ length: 8 }, () => complete(id)))
    expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(200))
    expect((await h.events('artifact.created')).length).toBe(before + 1)
  })

  test('what differs from what was announced is refused, and can be uploaded again', async () => {
    const { id, uploadUrl } = (await create({ name: 'a.txt', size: 5, sha256: sha256('right').toUpperCase() })).json
    await h.call('PUT', uploadUrl, { as: null, body: 'wrong' })
    const wrong = await complete(id)
    expect([wrong.status, wrong.json.code]).toEqual([422, 'sha256_mismatch'])
    expect(wrong.json.errors).toMatchObject([{ path: '/sha256', code: 'sha256_mismatch' }])
    await h.call('PUT', uploadUrl, { as: null, body: 'tiny' })
    const short = await complete(id)
    expect(short.json.errors.map((error: { code: string }) => error.code)).toEqual(['size_mismatch', 'sha256_mismatch'])
    expect((await h.call('GET', `/api/v1/artifacts/${id}`)).json.state).toBe('pending')
    await h.call('PUT', uploadUrl, { as: null, body: 'right' })
    expect((await complete(id)).status).toBe(200)
  })

  test('completing without an upload is refused', async () => {
    const { id } = (await create({ name: 'a.txt' })).json
    const answer = await complete(id)
    expect([answer.status, answer.json.code]).toEqual([422, 'content_missing'])
  })

  test('a signed upload cannot change what was completed', async () => {
    const { id, uploadUrl } = (await create({ name: 'a.txt' })).json
    await h.call('PUT', uploadUrl, { as: null, body: 'first' })
    await complete(id)
    const late = await h.call('PUT', uploadUrl, { as: null, body: 'second' })
    expect([late.status, late.json.code]).toEqual([409, 'artifact_complete'])
    expect((await h.call('GET', `/api/v1/artifacts/${id}/content`)).bytes.toString()).toBe('first')
  })

  test('an upload under way while its artifact is completed changes nothing either', async () => {
    const { id, uploadUrl } = (await create({ name: 'a.txt' })).json
    await h.call('PUT', uploadUrl, { as: null, body: 'first' })
    let finish = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      finish = resolve
    })
    const slow = Readable.from(
      (async function* () {
        yield Buffer.from('sec')
        await gate
        yield Buffer.from('ond')
      })(),
    )
    const late = h.call('PUT', uploadUrl, { as: null, body: Readable.toWeb(slow) as unknown as RequestInit['body'] })
    await waitFor(async () => (await readdir(join(h.directory, 'incoming'))).length === 1)
    expect((await complete(id)).status).toBe(200)
    finish()
    expect((await late).status).toBe(409)
    expect((await h.call('GET', `/api/v1/artifacts/${id}/content`)).bytes.toString()).toBe('first')
    await waitFor(async () => (await objects()).filter((name) => name.startsWith(id)).length === 1)
  })

  test('the same Idempotency-Key answers the first artifact again', async () => {
    const request = { json: { name: 'a.txt' }, headers: { 'idempotency-key': randomUUID() }, as: { subject: 'key:1' } }
    const first = await h.call('POST', '/api/v1/artifacts', request)
    const again = await h.call('POST', '/api/v1/artifacts', request)
    expect(again.json).toEqual(first.json)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
  })
})

describe('upload through the service', () => {
  test('stores, checks and completes in one request', async () => {
    const { id } = (await create({ name: 'a.txt', size: 5 })).json
    const put = await h.call('PUT', `/api/v1/artifacts/${id}/content`, { body: 'hello' })
    expect([put.status, put.json.state, put.json.sha256]).toEqual([200, 'complete', sha256('hello')])
    const again = await h.call('PUT', `/api/v1/artifacts/${id}/content`, { body: 'other' })
    expect([again.status, again.json.code]).toEqual([409, 'artifact_complete'])
  })

  test('a wrong digest keeps the artifact pending and nothing of the content', async () => {
    const { id } = (await create({ name: 'a.txt', sha256: sha256('right') })).json
    const put = await h.call('PUT', `/api/v1/artifacts/${id}/content`, { body: 'wrong' })
    expect([put.status, put.json.code]).toEqual([422, 'sha256_mismatch'])
    expect((await h.call('GET', `/api/v1/artifacts/${id}`)).json.state).toBe('pending')
    expect((await complete(id)).json.code).toBe('content_missing')
  })

  test('an empty file is a file', async () => {
    const id = await makeComplete(h, 'empty', '')
    const content = await h.call('GET', `/api/v1/artifacts/${id}/content`)
    expect([content.status, content.bytes.length, content.headers.get('content-length')]).toEqual([200, 0, '0'])
  })

  test('more than announced, or than allowed at all, is refused', async () => {
    const { id } = (await create({ name: 'a.txt', size: 4 })).json
    const put = await h.call('PUT', `/api/v1/artifacts/${id}/content`, { body: 'hello' })
    expect([put.status, put.json.code]).toEqual([413, 'content_too_large'])
    const announced = await create({ name: 'a.txt', size: 3_000_001 })
    expect([announced.status, announced.json.code]).toEqual([413, 'content_too_large'])
    const open = (await create({ name: 'a.txt' })).json
    const body = Readable.toWeb(
      Readable.from([Buffer.alloc(2_000_000), Buffer.alloc(2_000_000)]),
    ) as unknown as RequestInit['body']
    const outcome = await h.call('PUT', open.uploadUrl, { as: null, body }).catch(() => undefined)
    if (outcome !== undefined) expect(outcome.status).toBe(413)
    expect((await complete(open.id)).json.code).toBe('content_missing')
  })

  test('a caller who goes away in the middle leaves nothing behind', async () => {
    const { id, uploadUrl } = (await create({ name: 'a.txt' })).json
    const socket = connect(h.service.httpPort, '127.0.0.1')
    socket.write(`PUT ${uploadUrl} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\npart`)
    await waitFor(async () => (await readdir(join(h.directory, 'incoming'))).length === 1)
    socket.destroy()
    await waitFor(async () => (await readdir(join(h.directory, 'incoming'))).length === 0)
    expect((await complete(id)).json.code).toBe('content_missing')
  })

  test('a storage that cannot be written to is a 503 that says so', async () => {
    const { id } = (await create({ name: 'a.txt' })).json
    await rm(join(h.directory, 'incoming'), { recursive: true })
    const put = await h.call('PUT', `/api/v1/artifacts/${id}/content`, { body: 'hello' })
    expect([put.status, put.json.code]).toEqual([503, 'storage_unavailable'])
    await h.restart()
    expect((await h.call('PUT', `/api/v1/artifacts/${id}/content`, { body: 'hello' })).status).toBe(200)
  })
})

describe('bad input', () => {
  test.each([
    [{ name: '../../etc/passwd' }, 422, 'invalid_name'],
    [{ name: 'a\\b' }, 422, 'invalid_name'],
    [{ name: '..' }, 422, 'invalid_name'],
    [{ name: 'nul.txt' }, 422, 'invalid_name'],
    [{ name: 'a\tb' }, 422, 'invalid_name'],
    [{ name: 'ä'.repeat(200) }, 422, 'invalid_name'],
    [{ name: 'a', contentType: 'text/html\r\nx-evil: 1' }, 422, 'invalid_content_type'],
    [{ name: 'a', contentType: 'nonsense' }, 422, 'invalid_content_type'],
    [{ name: 'a', sha256: 'zz' }, 422, 'invalid_sha256'],
    [{ name: 'a', runId: 'not-an-id' }, 404, 'run_not_found'],
  ])('%j', async (json, status, code) => {
    const answer = await create(json)
    expect([answer.status, answer.json.code, answer.headers.get('content-type')]).toEqual([
      status,
      code,
      'application/problem+json',
    ])
  })

  test.each([
    [{}],
    [{ name: 5 }],
    [{ name: 'a', size: -1 }],
    [{ name: 'a', size: 1.5 }],
    [{ name: 'a', other: 1 }],
    [{ name: 'a\0' }],
    [[]],
  ])('%j breaks the schema', async (json) => expect((await create(json)).status).toBe(422))

  test('all faults at once', async () => {
    const answer = await create({ name: 'a/b', sha256: 'x', contentType: 'y' })
    expect(answer.json.errors.map((error: { path: string }) => error.path)).toEqual([
      '/name',
      '/contentType',
      '/sha256',
    ])
  })
})
