import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Harness, noop, startHarness } from './harness.js'

let h: Harness
let as: { projectId: string; userId: string }
beforeAll(async () => {
  h = await startHarness({}, { hookRatePerMinute: 5 })
})
afterAll(() => h.stop())
beforeEach(async () => {
  as = { projectId: randomUUID(), userId: randomUUID() }
  await h.call('POST', '/api/v1/workflows', noop('plain'), { as })
  await h.call(
    'POST',
    '/api/v1/workflows',
    noop('strict', { input: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } }),
    { as },
  )
})

const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
  h.call('POST', path, body, { as, headers })
const get = (path: string) => h.call('GET', path, undefined, { as })
const runs = async () =>
  (await h.pool.query('select * from run_requests where project_id = $1 order by id', [as.projectId])).rows

describe('a hook', () => {
  const open = (url: string, body?: unknown, headers: Record<string, string> = {}) =>
    fetch(h.url(url), {
      method: 'POST',
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const make = async (name = 'strict') => (await post(`/api/v1/workflows/${name}/hooks`)).body

  test('starts a run with what it is given, by its schema, without any other proof', async () => {
    const { id, url, token } = await make()
    expect(url).toBe(`/api/v1/hooks/${token}`)
    const answer = await open(url, { id: 'x' })
    expect(answer.status).toBe(202)
    const started = (await answer.json()) as Record<string, unknown>
    expect(started).toMatchObject({ workflow: 'strict', version: 1, status: 'queued' })
    expect(started).not.toHaveProperty('input')
    expect(await runs()).toMatchObject([{ id: started.id, input: { id: 'x' }, requested_by: `hook:${id}` }])
    expect((await open(url, { id: 7 })).status).toBe(422)
    expect((await open(url)).status).toBe(422)
    expect(await runs()).toHaveLength(1)
  })

  test('is shown once, kept as a hash, listed and revoked', async () => {
    const headers = { ...h.headers(as), 'idempotency-key': randomUUID() }
    const first = await post('/api/v1/workflows/plain/hooks', undefined, headers)
    const again = await post('/api/v1/workflows/plain/hooks', undefined, headers)
    expect(first.status).toBe(201)
    expect(again.body).toMatchObject({ id: first.body.id })
    expect(again.text).not.toContain(first.body.token)
    const dump = await h.pool.query(`select row_to_json(h)::text as row from hooks h union all
      select row_to_json(k)::text from idempotency_keys k union all select row_to_json(l)::text from events.log l`)
    expect(JSON.stringify(dump.rows)).not.toContain(first.body.token)
    const list = await get('/api/v1/workflows/plain/hooks')
    expect(list.body.items).toMatchObject([{ id: first.body.id }])
    expect(list.text).not.toContain(first.body.token)
    expect((await open(first.body.url)).status).toBe(202)
    const path = `/api/v1/workflows/plain/hooks/${first.body.id}`
    expect((await h.call('DELETE', path)).status).toBe(404)
    expect((await h.call('DELETE', path.replace('plain', 'strict'), undefined, { as })).status).toBe(404)
    expect((await h.call('DELETE', path, undefined, { as })).status).toBe(204)
    expect((await h.call('DELETE', path, undefined, { as })).status).toBe(404)
    expect((await open(first.body.url)).status).toBe(404)
    expect((await get('/api/v1/workflows/plain/hooks')).body.items).toEqual([])
  })

  test('is not found by a guess, nor by what is stored, nor once its workflow is gone', async () => {
    const { url, token } = await make('plain')
    const { rows } = await h.pool.query('select token_hash from hooks')
    for (const guess of ['x', `${token}x`, token.toUpperCase(), rows.at(-1).token_hash.toString('base64url')]) {
      const answer = await open(`/api/v1/hooks/${guess}`)
      expect(answer.status).toBe(404)
      expect(await answer.text()).not.toContain(guess)
    }
    await h.call('DELETE', '/api/v1/workflows/plain', undefined, { as })
    await h.call('POST', '/api/v1/workflows', noop('plain'), { as })
    expect((await open(url)).status).toBe(404)
  })

  test('is limited by itself', async () => {
    const [one, other] = [await make('plain'), await make('plain')]
    const statuses = []
    for (let n = 0; n < 7; n++) statuses.push((await open(one.url)).status)
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429, 429])
    expect(Number((await open(one.url)).headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await open(other.url)).status).toBe(202)
  })

  test('with an Idempotency-Key starts one run', async () => {
    const { url } = await make('plain')
    const headers = { 'idempotency-key': 'delivery-1' }
    const [first, again] = [await open(url, { n: 1 }, headers), await open(url, { n: 1 }, headers)]
    expect(await again.json()).toEqual(await first.json())
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect((await open(url, { n: 2 }, headers)).status).toBe(409)
    expect(await runs()).toHaveLength(1)
  })
})

describe('a hook that verifies its callers', () => {
  const secret = 'a-secret-of-both-sides'
  const send = (url: string, body: string, headers: Record<string, string> = {}) =>
    fetch(h.url(url), { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
  const sign = (body: string, by = secret) => `sha256=${createHmac('sha256', by).update(body).digest('hex')}`

  test('takes what is signed, byte for byte, and answers 401 to all else', async () => {
    const made = await post('/api/v1/workflows/plain/hooks', { verify: { type: 'github', secret } })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ verify: { type: 'github' }, input: null })
    const body = '{ "n" :1 }'
    const unsigned = await send(made.body.url, body)
    expect(unsigned.status).toBe(401)
    expect(await unsigned.json()).toMatchObject({ code: 'invalid_signature' })
    expect((await send(made.body.url, body, { 'x-hub-signature-256': sign('{"n":1}') })).status).toBe(401)
    const headers = { 'x-hub-signature-256': sign(body), 'x-github-delivery': 'd-1' }
    expect((await send(made.body.url, body, headers)).status).toBe(202)
    const again = await send(made.body.url, body, headers)
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true'])
    expect(await runs()).toHaveLength(1)
  })

  test('keeps its secret encrypted, and shows it to nobody', async () => {
    const headers = { ...h.headers(as), 'idempotency-key': randomUUID() }
    const made = await post(
      '/api/v1/workflows/plain/hooks',
      { verify: { type: 'hmac', secret, header: 'X-Hash' } },
      headers,
    )
    const list = await get('/api/v1/workflows/plain/hooks')
    expect(list.body.items).toMatchObject([{ id: made.body.id, verify: { type: 'hmac', header: 'x-hash' } }])
    const dump = await h.pool.query(`select h::text as row from hooks h union all
      select k::text from idempotency_keys k union all select l::text from events.log l`)
    const all = JSON.stringify(dump.rows) + list.text + made.text
    expect(all).not.toContain(secret)
    expect(all).not.toContain(Buffer.from(secret).toString('hex'))
    // Moved to another hook it opens nothing.
    const other = await post('/api/v1/workflows/plain/hooks', { verify: { type: 'hmac', secret: 'another-one' } })
    await h.pool.query(
      'update hooks set verify_secret = (select verify_secret from hooks where id = $1) where id = $2',
      [made.body.id, other.body.id],
    )
    expect((await send(other.body.url, '{}', { 'x-signature': sign('{}') })).status).toBe(500)
  })

  test.each([
    [{ verify: { type: 'standard-webhooks', secret: 'not base64 at all!' } }],
    [{ verify: { type: 'pgp', secret } }],
    [{ verify: { type: 'hmac' } }],
    [{ input: 'body.' }],
    [{ input: 'tasks.a.output' }],
    [{ input: 'secrets.token' }],
    [{ unknown: 1 }],
  ])('is not made of %j', async (body) => {
    expect((await post('/api/v1/workflows/plain/hooks', body)).status).toBe(422)
  })
})

describe('the expression of a hook', () => {
  const make = async (input: string) => (await post('/api/v1/workflows/strict/hooks', { input })).body
  const send = (url: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(h.url(url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })

  test('makes the input of body, headers and query, without what proves who one is', async () => {
    const { url } = await make('{"id": body.order.id, "from": headers["x-from"], "tag": query.tag, "all": headers}')
    const answer = await send(
      `${url}?tag=a%20b`,
      { order: { id: 'o-1' } },
      { 'x-from': 'shop', authorization: 'Bearer x' },
    )
    expect(answer.status).toBe(202)
    const [run] = await runs()
    expect(run.input).toMatchObject({ id: 'o-1', from: 'shop', tag: 'a b' })
    expect(Object.keys(run.input.all)).not.toContain('authorization')
  })

  test('that fails, or gives what the workflow does not take, is 422 and starts nothing', async () => {
    const { url } = await make('${{ {"id": body.order.id} }}')
    for (const body of [{}, { order: { id: 7 } }, [1]]) expect((await send(url, body)).status).toBe(422)
    expect(await runs()).toEqual([])
  })

  test('is bounded in what it may cost', async () => {
    const { url } = await make('{"id": body.big.map(x, body.text.contains(x)).size() > 0 ? "a" : "b"}')
    const big = Array.from({ length: 9_000 }, (_, i) => `${'a'.repeat(200)}${i}`)
    const answer = await send(url, { big, text: 'a'.repeat(1_000_000) })
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({ errors: [{ code: 'expression_too_expensive' }] })
  })
})
