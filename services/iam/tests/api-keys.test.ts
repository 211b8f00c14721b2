import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Iam, startIam } from './support.js'

let iam: Iam
beforeAll(async () => {
  iam = await startIam()
})
afterAll(() => iam.stop())

const create = (token: string, body: unknown, headers: Record<string, string> = {}) =>
  iam.api('POST', '/api/v1/api-keys', { token, body, headers })

test('a key is shown once, stored hashed, and works in its project with its role', async () => {
  const { email, token, project } = await iam.newUser()
  const { status, body } = await create(token, { name: 'ci', role: 'viewer' })
  expect(status).toBe(201)
  expect(body).toMatchObject({ id: expect.any(String), name: 'ci', role: 'viewer' })
  expect(body.key).toMatch(/^mr_[A-Za-z0-9_-]{43}$/)
  expect(body.key.startsWith(body.prefix)).toBe(true)
  const list = await iam.api('GET', '/api/v1/api-keys', { token })
  expect(list.body.items).toMatchObject([{ id: body.id, name: 'ci', role: 'viewer', prefix: body.prefix }])
  expect(JSON.stringify(list.body)).not.toContain(body.key)
  const { rows } = await iam.pool.query('select * from api_keys')
  expect(JSON.stringify(rows)).not.toContain(body.key)
  const me = await iam.api('GET', '/api/v1/auth/me', { token: body.key })
  expect(JSON.stringify(me.body)).not.toContain(email)
  expect(me.body.projects).toEqual([{ id: project.id, slug: project.slug, role: 'viewer' }])
  expect((await create(body.key, { name: 'x', role: 'viewer' })).status).toBe(403)
})

test('a revoked key stops at once; revoking again, or another project’s, is a 404', async () => {
  const one = await iam.newUser()
  const two = await iam.newUser()
  const { body } = await create(one.token, { name: 'k', role: 'owner' })
  const me = () => iam.api('GET', '/api/v1/auth/me', { token: body.key })
  expect((await me()).status).toBe(200)
  const remove = (token: string) => iam.api('DELETE', `/api/v1/api-keys/${body.id}`, { token })
  expect((await remove(two.token)).status).toBe(404)
  expect((await me()).status).toBe(200)
  expect((await remove(one.token)).status).toBe(204)
  expect(await me()).toMatchObject({ status: 401, body: { code: 'api_key_revoked' } })
  expect((await remove(one.token)).status).toBe(404)
  expect((await iam.api('DELETE', '/api/v1/api-keys/not-an-id', { token: one.token })).status).toBe(404)
  expect((await iam.api('GET', '/api/v1/api-keys', { token: one.token })).body.items).toEqual([])
})

test('an Idempotency-Key gives the same key once, without its secret the second time', async () => {
  const { token } = await iam.newUser()
  const headers = { 'idempotency-key': 'make-one' }
  const one = await create(token, { name: 'k', role: 'worker' }, headers)
  const two = await create(token, { name: 'k', role: 'worker' }, headers)
  expect([one.status, two.status]).toEqual([201, 201])
  expect(two.headers.get('idempotency-replayed')).toBe('true')
  const { key, ...rest } = one.body
  expect(two.body).toEqual(rest)
  const { rows } = await iam.pool.query('select body from idempotency_keys')
  expect(JSON.stringify(rows)).not.toContain(key)
  expect((await iam.api('GET', '/api/v1/api-keys', { token })).body.items).toHaveLength(1)
})

test('a key that expired is refused', async () => {
  const { token } = await iam.newUser()
  const expiresAt = new Date(Date.now() + 1200).toISOString()
  const { status, body } = await create(token, { name: 'k', role: 'viewer', expiresAt })
  expect(status).toBe(201)
  const me = () => iam.api('GET', '/api/v1/auth/me', { token: body.key })
  expect((await me()).status).toBe(200)
  await expect.poll(async () => (await me()).status, { timeout: 4000 }).toBe(401)
})

test.each([
  ['no role', { name: 'k' }],
  ['admin', { name: 'k', role: 'admin' }],
  ['no name', { role: 'viewer' }],
  ['an empty name', { name: '', role: 'viewer' }],
  ['an end in the past', { name: 'k', role: 'viewer', expiresAt: '2020-01-01T00:00:00.000Z' }],
  ['an end that is no time', { name: 'k', role: 'viewer', expiresAt: 'tomorrow' }],
  ['an end beyond all time', { name: 'k', role: 'viewer', expiresAt: '2026-13-45T00:00:00Z' }],
  ['an unknown field', { name: 'k', role: 'viewer', projectId: 'x' }],
])('%s breaks a rule', async (_name, body) => {
  const { token } = await iam.newUser()
  expect((await create(token, body)).status).toBe(422)
})

test('those below owner make no keys', async () => {
  const owner = await iam.newUser()
  const editor = await iam.newUser()
  const { slug } = owner.project
  await iam.join(slug, editor.id, 'editor')
  const call = { token: editor.token, project: slug, body: { name: 'k', role: 'viewer' } }
  expect((await iam.api('POST', '/api/v1/api-keys', call)).status).toBe(403)
})

test('a key never stands above its maker and falls with them', async () => {
  const owner = await iam.newUser()
  const maker = await iam.newUser()
  const { slug } = owner.project
  const members = `/api/v1/projects/${slug}/members`
  const role = (name: string) => iam.api('PUT', members, { token: owner.token, body: { userId: maker.id, role: name } })
  await iam.join(slug, maker.id, 'owner')
  const call = { token: maker.token, project: slug, body: { name: 'k', role: 'owner' } }
  const { body } = await iam.api('POST', '/api/v1/api-keys', call)
  const made = await iam.api('POST', '/api/v1/api-keys', { token: body.key, body: { name: 'k2', role: 'viewer' } })
  expect(made.status).toBe(201)
  const roleOf = async (token: string) => (await iam.api('GET', '/api/v1/auth/me', { token })).body.projects?.[0].role
  expect(await roleOf(body.key)).toBe('owner')
  await role('operator')
  expect(await roleOf(body.key)).toBe('operator')
  expect(await roleOf(made.body.key)).toBe('viewer')
  await iam.api('DELETE', `${members}/${maker.id}`, { token: owner.token })
  for (const key of [body.key, made.body.key]) {
    expect((await iam.api('GET', '/api/v1/auth/me', { token: key })).status).toBe(401)
  }
})

test('a key acts in its project and nowhere else', async () => {
  const { token } = await iam.newUser()
  const other = await iam.newUser()
  const { body } = await create(token, { name: 'k', role: 'owner' })
  expect((await iam.api('GET', '/api/v1/auth/me', { token: body.key, project: other.project.slug })).status).toBe(404)
  const created = await iam.api('POST', '/api/v1/projects', { token: body.key, body: { slug: 'from-a-key' } })
  expect(created).toMatchObject({ status: 403, body: { code: 'user_required' } })
  const change = { current: 'x', new: 'a long enough passphrase 9' }
  expect((await iam.api('POST', '/api/v1/auth/password', { token: body.key, body: change })).status).toBe(403)
  expect((await iam.api('GET', '/api/v1/projects', { token: body.key })).body.items).toHaveLength(1)
  expect((await iam.api('GET', '/api/v1/users', { token: body.key })).status).toBe(403)
})

test('a list of many keys comes in pages, newest first', async () => {
  const { token } = await iam.newUser()
  for (let i = 0; i < 5; i++) await create(token, { name: `k${i}`, role: 'viewer' })
  const names: string[] = []
  let cursor = ''
  for (;;) {
    const { body } = await iam.api('GET', `/api/v1/api-keys?limit=2${cursor}`, { token })
    names.push(...body.items.map((key: { name: string }) => key.name))
    if (body.nextCursor === null) break
    cursor = `&cursor=${body.nextCursor}`
  }
  expect(names).toEqual(['k4', 'k3', 'k2', 'k1', 'k0'])
})
