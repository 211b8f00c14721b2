import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Iam, startIam } from './support.js'

let iam: Iam
beforeAll(async () => {
  iam = await startIam({ credentialCacheMs: 0, keyUsageFlushMs: 50 })
})
afterAll(() => iam.stop())

const path = '/api/v1/service-accounts'
const create = (token: string, body: object) => iam.api('POST', path, { token, body })
const key = (token: string, body: object) =>
  iam.api('POST', '/api/v1/api-keys', { token, body: { name: 'k', ...body } })
const me = (token: string) => iam.api('GET', '/api/v1/auth/me', { token })

describe('a service account', () => {
  test('has keys that outlive the person who made them, and fall with it', async () => {
    const owner = await iam.newUser()
    const { slug } = owner.project
    const maker = await iam.newUser()
    await iam.join(slug, maker.id, 'owner')
    const there = { token: maker.token, project: slug }
    const account = await iam.api('POST', path, { ...there, body: { name: 'deploys', role: 'operator' } })
    expect(account).toMatchObject({ status: 201, body: { name: 'deploys', role: 'operator', lastUsedAt: null } })
    const serviceAccountId = account.body.id
    const body = { name: 'ci', role: 'operator', serviceAccountId }
    const made = await iam.api('POST', '/api/v1/api-keys', { ...there, body })
    expect(made).toMatchObject({ status: 201, body: { serviceAccountId } })
    await iam.api('DELETE', `/api/v1/projects/${slug}/members/${maker.id}`, { token: owner.token })
    await iam.pool.query('update users set disabled = true where id = $1', [maker.id])
    expect((await me(made.body.key)).body.projects).toMatchObject([{ slug, role: 'operator' }])
    expect((await iam.api('DELETE', `${path}/${serviceAccountId}`, { token: owner.token })).status).toBe(204)
    expect((await me(made.body.key)).status).toBe(401)
    expect((await iam.api('DELETE', `${path}/${serviceAccountId}`, { token: owner.token })).status).toBe(404)
    expect((await iam.api('GET', path, { token: owner.token })).body.items).toEqual([])
  })

  test('is above nobody: its role bounds its keys, and whoever makes it bounds its role', async () => {
    const { token } = await iam.newUser()
    const { body: account } = await create(token, { name: 'reader', role: 'viewer' })
    expect(await create(token, { name: 'reader', role: 'viewer' })).toMatchObject({
      status: 409,
      body: { code: 'service_account_exists' },
    })
    const tooHigh = { status: 422, body: { code: 'role_too_high' } }
    expect(await key(token, { role: 'editor', serviceAccountId: account.id })).toMatchObject(tooHigh)
    const operator = (await key(token, { role: 'operator' })).body.key
    expect((await create(operator, { name: 'x', role: 'owner' })).status).toBe(403)
    for (const serviceAccountId of ['rubbish', '018f0000-0000-7000-8000-000000000000']) {
      expect((await key(token, { role: 'viewer', serviceAccountId })).status).toBe(422)
    }
    const stranger = await iam.newUser()
    expect((await key(stranger.token, { role: 'viewer', serviceAccountId: account.id })).status).toBe(422)
    expect((await iam.api('GET', `${path}/${account.id}`, { token: stranger.token })).status).toBe(404)
    const worker = (await create(token, { name: 'w', role: 'worker' })).body
    expect((await key(token, { role: 'worker', serviceAccountId: worker.id })).status).toBe(201)
    expect(await key(token, { role: 'viewer', serviceAccountId: worker.id })).toMatchObject(tooHigh)
  })
})

test('the last use of a key is written, and shown for the key and its account', async () => {
  const { token } = await iam.newUser()
  const { body: account } = await create(token, { name: 'used', role: 'viewer' })
  const { body: made } = await key(token, { role: 'viewer', serviceAccountId: account.id })
  const listed = async () => (await iam.api('GET', '/api/v1/api-keys', { token })).body.items[0].lastUsedAt
  expect(await listed()).toBeNull()
  const before = Date.now()
  await me(made.key)
  expect(Date.parse(await waitFor(listed))).toBeGreaterThanOrEqual(before)
  const shown = await iam.api('GET', `${path}/${account.id}`, { token })
  expect(Date.parse(shown.body.lastUsedAt)).toBeGreaterThanOrEqual(before)
})

test('a key does not learn the address of whoever made it', async () => {
  const { token, email, project } = await iam.newUser()
  for (const role of ['viewer', 'owner', 'worker']) {
    const { body } = await key(token, { role })
    for (const path of ['/api/v1/auth/me', `/api/v1/projects/${project.slug}/members`, '/api/v1/projects']) {
      expect(JSON.stringify((await iam.api('GET', path, { token: body.key })).body)).not.toContain(email)
    }
  }
})
