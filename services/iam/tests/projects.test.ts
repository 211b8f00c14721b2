import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Iam, startIam } from './support.js'

let iam: Iam
beforeAll(async () => {
  iam = await startIam()
})
afterAll(() => iam.stop())

const put = (token: string, slug: string, body: unknown) =>
  iam.api('PUT', `/api/v1/projects/${slug}/members`, { token, body })

describe('projects', () => {
  test('are created with the caller as owner and listed newest first, in pages', async () => {
    const { token, project } = await iam.newUser()
    for (const slug of ['alpha-p', 'beta-p', 'gamma-p']) {
      const created = await iam.api('POST', '/api/v1/projects', { token, body: { slug, name: slug.toUpperCase() } })
      expect(created).toMatchObject({ status: 201, body: { slug, name: slug.toUpperCase() } })
    }
    const first = await iam.api('GET', '/api/v1/projects?limit=3', { token })
    expect(first.body.items.map((p: { slug: string }) => p.slug)).toEqual(['gamma-p', 'beta-p', 'alpha-p'])
    const second = await iam.api('GET', `/api/v1/projects?limit=3&cursor=${first.body.nextCursor}`, { token })
    expect(second.body).toMatchObject({ items: [{ slug: project.slug, role: 'owner' }], nextCursor: null })
  })

  test('a new one can be used at once by its slug', async () => {
    const { token } = await iam.newUser()
    await iam.api('GET', '/api/v1/auth/me', { token })
    await iam.api('POST', '/api/v1/projects', { token, body: { slug: 'at-once' } })
    expect((await iam.api('GET', '/api/v1/api-keys', { token, project: 'at-once' })).status).toBe(200)
  })

  test('a slug that is taken is a conflict; a bad one breaks a rule', async () => {
    const { token, project } = await iam.newUser()
    const create = (slug: unknown) => iam.api('POST', '/api/v1/projects', { token, body: { slug } })
    expect(await create(project.slug)).toMatchObject({ status: 409, body: { code: 'slug_taken' } })
    for (const bad of ['', 'UPPER', '-x', 'a b', 'ü', 'x'.repeat(64), 7, null, '../x']) {
      expect((await create(bad)).status).toBe(422)
    }
  })

  test('an Idempotency-Key makes one project of two tries', async () => {
    const { token } = await iam.newUser()
    const body = { slug: 'only-once' }
    const headers = { 'idempotency-key': 'k-1' }
    const one = await iam.api('POST', '/api/v1/projects', { token, body, headers })
    const two = await iam.api('POST', '/api/v1/projects', { token, body, headers })
    expect([one.status, two.status]).toEqual([201, 201])
    expect(two.body).toEqual(one.body)
    expect(two.headers.get('idempotency-replayed')).toBe('true')
    const other = await iam.api('POST', '/api/v1/projects', { token, body: { slug: 'other' }, headers })
    expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } })
  })

  test('bad limits and cursors break a rule', async () => {
    const { token } = await iam.newUser()
    for (const query of ['limit=0', 'limit=201', 'limit=x', 'cursor=rubbish', 'cursor=eyJpZCI6IngifQ']) {
      expect((await iam.api('GET', `/api/v1/projects?${query}`, { token })).status).toBe(422)
    }
  })
})

describe('members', () => {
  test('are listed, changed by address or id, and removed', async () => {
    const owner = await iam.newUser()
    const ann = await iam.newUser()
    const bob = await iam.newUser()
    const { slug } = owner.project
    await iam.join(slug, ann.id, 'editor')
    await iam.join(slug, bob.id, 'viewer')
    expect(await put(owner.token, slug, { email: ann.email.toUpperCase(), role: 'viewer' })).toMatchObject({
      status: 200,
      body: { userId: ann.id, email: ann.email, role: 'viewer' },
    })
    expect((await put(owner.token, slug, { userId: bob.id, role: 'editor' })).status).toBe(200)
    const path = `/api/v1/projects/${slug}/members`
    const list = await iam.api('GET', path, { token: ann.token })
    expect(list.body.items.map((m: { userId: string }) => m.userId).sort()).toEqual([owner.id, ann.id, bob.id].sort())
    const changed = await iam.api('PUT', `${path}/${ann.id}`, { token: owner.token, body: { role: 'operator' } })
    expect(changed).toMatchObject({ status: 200, body: { role: 'operator' } })
    expect((await iam.api('GET', `${path}/${ann.id}`, { token: bob.token })).body.role).toBe('operator')
    expect((await iam.api('DELETE', `${path}/${ann.id}`, { token: owner.token })).status).toBe(204)
    expect((await iam.api('DELETE', `${path}/${ann.id}`, { token: owner.token })).status).toBe(404)
    expect((await iam.api('GET', path, { token: ann.token })).status).toBe(404)
  })

  test('are not changed by those below owner', async () => {
    const owner = await iam.newUser()
    const editor = await iam.newUser()
    const { slug } = owner.project
    await iam.join(slug, editor.id, 'editor')
    expect(await put(editor.token, slug, { userId: editor.id, role: 'owner' })).toMatchObject({
      status: 403,
      body: { code: 'role_required' },
    })
    const path = `/api/v1/projects/${slug}/members/${owner.id}`
    expect((await iam.api('DELETE', path, { token: editor.token })).status).toBe(403)
  })

  test('being an owner elsewhere gives nothing here, whatever the project header says', async () => {
    const owner = await iam.newUser()
    const stranger = await iam.newUser()
    for (const project of [undefined, stranger.project.slug, owner.project.slug]) {
      const call = { token: stranger.token, ...(project === undefined ? {} : { project }) }
      expect((await iam.api('GET', `/api/v1/projects/${owner.project.slug}/members`, call)).status).toBe(404)
    }
  })

  test('the last owner stays, also when two owners remove each other at once', async () => {
    const one = await iam.newUser()
    const two = await iam.newUser()
    const { slug } = one.project
    const path = `/api/v1/projects/${slug}/members`
    expect(await iam.api('DELETE', `${path}/${one.id}`, { token: one.token })).toMatchObject({
      status: 409,
      body: { code: 'last_owner' },
    })
    expect((await put(one.token, slug, { userId: one.id, role: 'viewer' })).status).toBe(409)
    await iam.join(slug, two.id, 'owner')
    const replies = await Promise.all([
      iam.api('DELETE', `${path}/${two.id}`, { token: one.token }),
      iam.api('DELETE', `${path}/${one.id}`, { token: two.token }),
    ])
    expect(replies.filter(({ status }) => status === 204)).toHaveLength(1)
    const { rows } = await iam.pool.query('select user_id from members where project_id = $1', [one.project.id])
    expect(rows).toHaveLength(1)
  })

  test.each([
    [{ role: 'viewer' }, 422],
    [{ email: 'a@b.c', userId: 'x', role: 'viewer' }, 422],
    [{ email: 'ghost@example.org', role: 'viewer' }, 422],
    [{ userId: 'not-a-uuid', role: 'viewer' }, 422],
    [{ userId: '018f0000-0000-7000-8000-000000000000', role: 'viewer' }, 422],
    [{ email: 'ghost@example.org', role: 'admin' }, 422],
    [{ email: 'ghost@example.org', role: 'worker' }, 422],
  ])('%j is answered %i', async (body, status) => {
    const { token, project } = await iam.newUser()
    expect((await put(token, project.slug, body)).status).toBe(status)
  })
})
