import { recordAudit } from '@millrace/events'
import { withTransaction } from '@millrace/postgres'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AuditChain } from '../src/security/audit-chain.js'
import { type Iam, password, startIam } from './support.js'

let iam: Iam
beforeAll(async () => {
  iam = await startIam()
})
afterAll(() => iam.stop())

type Entry = { id: string; at: string; actor: string; action: string; target: string; outcome: string }

async function auditOf(token: string, query = ''): Promise<Entry[]> {
  return (await iam.api('GET', `/api/v1/audit?limit=200${query}`, { token })).body.items
}

describe('users', () => {
  test('are seen and changed by administrators alone', async () => {
    const { token, id } = await iam.newUser()
    expect((await iam.api('GET', '/api/v1/users', { token })).status).toBe(403)
    const self = { token, body: { admin: true } }
    expect((await iam.api('PATCH', `/api/v1/users/${id}`, self)).status).toBe(403)
    const admin = await iam.admin()
    const list = await iam.api('GET', '/api/v1/users?limit=200', { token: admin.token })
    expect(list.body.items.map((user: { id: string }) => user.id)).toContain(id)
    expect(JSON.stringify(list.body)).not.toContain('argon2')
  })

  test('come in pages and are found by part of their address', async () => {
    const admin = await iam.admin()
    for (const name of ['zed1', 'zed2', 'zed3']) await iam.newUser(`${name}@find-me.example`)
    const first = await iam.api('GET', '/api/v1/users?q=FIND-ME&limit=2', { token: admin.token })
    expect(first.body.items.map((user: { email: string }) => user.email)).toEqual([
      'zed3@find-me.example',
      'zed2@find-me.example',
    ])
    const next = `/api/v1/users?q=FIND-ME&limit=2&cursor=${first.body.nextCursor}`
    const second = await iam.api('GET', next, { token: admin.token })
    expect(second.body.items).toHaveLength(1)
    expect((await iam.api('GET', '/api/v1/users?q=%25', { token: admin.token })).body.items).toEqual([])
  })

  test('disabled, cannot log in, refresh or act; enabled, log in again', async () => {
    const admin = await iam.admin()
    const user = await iam.newUser()
    const key = await iam.api('POST', '/api/v1/api-keys', { token: user.token, body: { name: 'k', role: 'viewer' } })
    const set = (disabled: boolean) =>
      iam.api('PATCH', `/api/v1/users/${user.id}`, { token: admin.token, body: { disabled } })
    expect((await set(true)).body).toMatchObject({ id: user.id, disabled: true })
    const login = () => iam.api('POST', '/api/v1/auth/login', { body: { email: user.email, password } })
    expect(await login()).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } })
    const body = { refreshToken: user.refreshToken }
    expect((await iam.api('POST', '/api/v1/auth/refresh', { body })).status).toBe(401)
    expect((await iam.api('GET', '/api/v1/auth/me', { token: user.token })).status).toBe(401)
    expect((await iam.api('GET', '/api/v1/auth/me', { token: key.body.key })).status).toBe(401)
    await set(false)
    expect((await iam.api('GET', '/api/v1/auth/me', { token: user.token })).status).toBe(401)
    expect((await iam.api('GET', '/api/v1/auth/me', { token: key.body.key })).status).toBe(200)
    expect((await login()).status).toBe(200)
  })

  test('the last administrator stays one; a second can be made and then either may go', async () => {
    const admin = await iam.admin()
    const me = await iam.api('GET', '/api/v1/auth/me', { token: admin.token })
    const own = `/api/v1/users/${me.body.user.id}`
    for (const body of [{ admin: false }, { disabled: true }]) {
      expect(await iam.api('PATCH', own, { token: admin.token, body })).toMatchObject({
        status: 409,
        body: { code: 'last_admin' },
      })
    }
    const second = await iam.newUser()
    await iam.api('PATCH', `/api/v1/users/${second.id}`, { token: admin.token, body: { admin: true } })
    expect((await iam.api('GET', '/api/v1/users', { token: second.token })).status).toBe(200)
    const body = { admin: false }
    expect((await iam.api('PATCH', `/api/v1/users/${second.id}`, { token: admin.token, body })).status).toBe(200)
    expect((await iam.api('GET', '/api/v1/users', { token: second.token })).status).toBe(403)
  })

  test('odd ids and bodies', async () => {
    const { token } = await iam.admin()
    const patch = (id: string, body: unknown) => iam.api('PATCH', `/api/v1/users/${id}`, { token, body })
    expect((await patch('nobody', { disabled: true })).status).toBe(404)
    expect((await patch('018f0000-0000-7000-8000-000000000000', { disabled: true })).status).toBe(404)
    expect((await patch('018f0000-0000-7000-8000-000000000000', { disabled: 'yes' })).status).toBe(422)
    expect((await patch('018f0000-0000-7000-8000-000000000000', { email: 'x' })).status).toBe(422)
    expect((await patch('018f0000-0000-7000-8000-000000000000', {})).status).toBe(422)
  })
})

describe('projects of everybody', () => {
  test('are listed for administrators alone, in pages, found by part of a slug or a name', async () => {
    const admin = await iam.admin()
    const user = await iam.newUser()
    for (const slug of ['quarry-one', 'quarry-two', 'quarry-three'])
      await iam.api('POST', '/api/v1/projects', { token: user.token, body: { slug, name: slug.toUpperCase() } })
    const list = (query: string, token = admin.token) => iam.api('GET', `/api/v1/projects?${query}`, { token })
    expect(await list('all=true', user.token)).toMatchObject({ status: 403, body: { code: 'admin_required' } })
    const first = await list('all=true&q=QUARRY&limit=2')
    expect(first.body.items.map(({ slug }: { slug: string }) => slug)).toEqual(['quarry-three', 'quarry-two'])
    expect(first.body.items[0]).not.toHaveProperty('role')
    const second = await list(`all=true&q=quarry&limit=2&cursor=${first.body.nextCursor}`)
    expect(second.body).toMatchObject({ items: [{ slug: 'quarry-one' }], nextCursor: null })
    // Without it, an administrator sees their own, as everybody does.
    expect((await list('limit=200')).body.items.map(({ slug }: { slug: string }) => slug)).not.toContain('quarry-one')
    const archive = await iam.api('DELETE', '/api/v1/projects/quarry-one', { token: user.token })
    expect(archive.status).toBeLessThan(300)
    expect((await list('all=true&q=quarry-one')).body.items).toEqual([])
  })
})

describe('the audit log', () => {
  test('has every mutation, who made it, from where, newest first', async () => {
    const user = await iam.newUser()
    const guest = await iam.newUser()
    const { token } = user
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    const key = await iam.api('POST', '/api/v1/api-keys', { token, body: { name: 'k', role: 'viewer' }, headers })
    await iam.api('DELETE', `/api/v1/api-keys/${key.body.id}`, { token })
    const members = `/api/v1/projects/${user.project.slug}/members`
    await iam.join(user.project.slug, guest.id, 'viewer')
    await iam.api('PUT', members, { token, body: { userId: guest.id, role: 'editor' } })
    await iam.api('DELETE', `${members}/${guest.id}`, { token })
    await iam.api('POST', '/api/v1/auth/login', { body: { email: user.email, password: 'wrong' } })
    const change = { current: password, new: 'a long enough passphrase 9' }
    await iam.api('POST', '/api/v1/auth/password', { token, body: change })
    const entries = await waitFor(async () => {
      const all = await auditOf(token)
      return all.length >= 9 && all
    })
    expect(entries.map(({ action }) => action)).toEqual([
      'user.password_changed',
      'user.login_failed',
      'member.removed',
      'member.updated',
      'member.added',
      'api_key.revoked',
      'api_key.created',
      'user.logged_in',
      'user.registered',
    ])
    expect(entries.find(({ action }) => action === 'api_key.created')).toMatchObject({
      actor: `user:${user.id}`,
      target: `key:${key.body.id}`,
      ip: '203.0.113.9',
      requestId: 'test-request',
      outcome: 'success',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(entries.find(({ action }) => action === 'user.login_failed')?.outcome).toBe('denied')
    expect(JSON.stringify(entries)).not.toContain(password)
  })

  test('is filtered, paged, and shown to owners of that project alone', async () => {
    const user = await iam.newUser()
    const { token } = user
    for (let i = 0; i < 3; i++) {
      await iam.api('POST', '/api/v1/api-keys', { token, body: { name: 'k', role: 'viewer' } })
    }
    await waitFor(async () => (await auditOf(token)).length >= 5)
    expect(await auditOf(token, '&action=api_key.created')).toHaveLength(3)
    expect(await auditOf(token, `&actor=user:${user.id}`)).toHaveLength(5)
    const [newest] = await auditOf(token)
    expect(await auditOf(token, `&target=${newest?.target}`)).toHaveLength(1)
    expect(await auditOf(token, '&from=2999-01-01T00:00:00Z')).toEqual([])
    expect(await auditOf(token, '&to=2000-01-01T00:00:00Z')).toEqual([])
    const first = await iam.api('GET', '/api/v1/audit?limit=2', { token })
    const second = await iam.api('GET', `/api/v1/audit?limit=200&cursor=${first.body.nextCursor}`, { token })
    const ids = [...first.body.items, ...second.body.items].map((entry: Entry) => entry.id)
    expect(ids).toEqual((await auditOf(token)).map(({ id }) => id))
    const stranger = await iam.newUser()
    const reader = (await auditOf(stranger.token)).map(({ id }) => id)
    expect(reader.some((id) => ids.includes(id))).toBe(false)
    for (const query of ['from=yesterday', 'cursor=x', 'limit=1000', 'to=2026-99-99T00:00:00Z']) {
      expect((await iam.api('GET', `/api/v1/audit?${query}`, { token })).status).toBe(422)
    }
  })

  test('takes entries of other services, each once, whatever they hold', async () => {
    const { token, project } = await iam.newUser()
    const entry = { projectId: project.id, actor: 'user:x', target: 'a\u0000b', ip: '::1', requestId: 'r' }
    await withTransaction(iam.pool, async (tx) => {
      await recordAudit(tx, 'workflow', { ...entry, action: 'workflow.updated' })
      await recordAudit(tx, 'workflow', { ...entry, projectId: 'not-a-uuid', action: 'workflow.odd' })
    })
    const [seen] = await waitFor(async () => {
      const found = await auditOf(token, '&action=workflow.updated')
      return found.length > 0 && found
    })
    expect(seen).toMatchObject({ target: 'ab', actor: 'user:x' })
    const { rows } = await iam.pool.query('select count(*)::int as n from events.dlq')
    expect(rows[0].n).toBe(0)
    const { recordAuditEvents } = await import('../src/consumers/audit-recorded.js')
    const event = {
      id: seen?.id,
      time: seen?.at,
      source: 'workflow',
      data: { ...entry, target: 'changed', action: 'workflow.updated', outcome: 'success' },
    }
    await recordAuditEvents({ pool: iam.pool, auditChain: new AuditChain([iam.config.masterKey]) } as never)([
      event as never,
    ])
    expect(await auditOf(token, '&action=workflow.updated')).toEqual([seen])
  })

  test('names the role, is searched by outcome, and across projects by the administrator alone', async () => {
    const user = await iam.newUser()
    const { token } = user
    await iam.api('POST', '/api/v1/auth/login', { body: { email: user.email, password: 'wrong' } })
    await iam.api('POST', '/api/v1/api-keys', { token, body: { name: 'k', role: 'viewer' } })
    const denied = await waitFor(async () => {
      const found = await auditOf(token, '&outcome=denied,failure')
      return found.length > 0 && found
    })
    expect(denied).toMatchObject([{ action: 'user.login_failed', outcome: 'denied' }])
    const [created] = await waitFor(async () => {
      const found = await auditOf(token, '&action=api_key.created&outcome=success')
      return found.length > 0 && found
    })
    expect(created).toMatchObject({ role: 'owner', projectId: user.project.id })
    expect((await iam.api('GET', '/api/v1/audit?outcome=odd', { token })).status).toBe(422)
    expect((await iam.api('GET', '/api/v1/audit?allProjects=true', { token })).status).toBe(403)
    const admin = await iam.admin()
    expect(await auditOf(admin.token, `&allProjects=true&target=user:${user.id}`)).not.toEqual([])
  })
})
