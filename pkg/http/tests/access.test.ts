import type { Role } from '@millrace/identity'
import type { Access } from '@millrace/routes'
import { testIdentityAuthority } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, identify, startHarness, testRoute } from './harness.js'

const levels: Access[] = ['open', 'user', 'viewer', 'operator', 'editor', 'owner', 'admin']
let harness: Harness

beforeAll(async () => {
  const whoAmI = testRoute({ operationId: 'identityOfOpen', path: '/open-identity', access: 'open' })
  const members = testRoute({
    operationId: 'members',
    path: '/projects/{slug}/members',
    access: 'owner',
    projectParam: 'slug',
  })
  const leased = testRoute({ operationId: 'leased', path: '/leased', access: 'editor', workers: true })
  const write = testRoute({ operationId: 'write', path: '/write', method: 'POST', access: 'user' })
  const routes = levels.map((access) => testRoute({ operationId: access, path: `/${access}`, access }))
  const ok = () => Promise.resolve({ status: 200, body: { ok: true } })
  harness = await startHarness({
    routes: [...routes, members, leased, write, whoAmI],
    handlers: {
      ...Object.fromEntries(levels.map((access) => [access, ok])),
      members: ok,
      leased: ok,
      write: ok,
      identityOfOpen: ({ identity }) => Promise.resolve({ status: 200, body: identity }),
    },
  })
})
afterAll(() => harness.server.stop())

const allowed: Record<Role, Access[]> = {
  worker: ['open', 'user'],
  viewer: ['open', 'user', 'viewer'],
  operator: ['open', 'user', 'viewer', 'operator'],
  editor: ['open', 'user', 'viewer', 'operator', 'editor'],
  owner: ['open', 'user', 'viewer', 'operator', 'editor', 'owner'],
}

describe('who may do what', () => {
  it.each(Object.keys(allowed) as Role[])('%s', async (role) => {
    for (const access of levels) {
      const { status } = await harness.call('GET', `/${access}`, { as: { role } })
      expect(status, access).toBe(allowed[role].includes(access) ? 200 : 403)
    }
  })

  it('only an administrator passes where one is asked for, and being one raises no role', async () => {
    expect((await harness.call('GET', '/admin', { as: { role: 'viewer', admin: true } })).status).toBe(200)
    expect((await harness.call('GET', '/owner', { as: { role: 'viewer', admin: true } })).status).toBe(403)
  })

  it('asks everyone else for an identity', async () => {
    for (const access of levels) {
      const answer = await harness.call('GET', `/${access}`, { as: null })
      expect(answer.status, access).toBe(access === 'open' ? 200 : 401)
    }
  })

  it.each([
    ['garbage', 'x.y.z'],
    ['empty', ''],
    ['signed by another', testIdentityAuthority().identityHeader({ admin: true })],
    ['unsigned', `${btoa('{"alg":"none"}')}.${btoa('{"sub":"user:1","role":"owner"}')}.`],
  ])('refuses an identity that is %s', async (_name, token) => {
    const answer = await harness.call('GET', '/user', { as: null, headers: { 'x-millrace-identity': token } })
    expect(answer.status).toBe(401)
    expect(answer.headers['content-type']).toBe('application/problem+json')
  })

  it('refuses an identity that was made for another request, and a write that is shown again', async () => {
    const headers = identify(harness.authority, 'GET', '/user')
    const show = (method: string, path: string, given: Record<string, string>) =>
      harness.call(method, path, { as: null, headers: given })
    expect((await show('GET', '/viewer', headers)).status).toBe(401)
    expect((await show('GET', '/user?x=1', headers)).status).toBe(401)
    expect((await show('HEAD', '/user', headers)).status).toBe(401)
    expect((await show('GET', '/user', headers)).status).toBe(200)
    const write = identify(harness.authority, 'POST', '/write')
    expect((await show('POST', '/write', write)).status).toBe(200)
    expect((await show('POST', '/write', write)).json).toMatchObject({ status: 401, code: 'invalid_identity' })
  })

  it('judges a role only in the project it was given for', async () => {
    const owner = { role: 'owner', project: 'mine' } as const
    expect((await harness.call('GET', '/projects/mine/members', { as: owner })).status).toBe(200)
    expect((await harness.call('GET', '/projects/theirs/members', { as: owner })).status).toBe(404)
  })

  it('lets a worker in where the route names workers', async () => {
    expect((await harness.call('GET', '/leased', { as: { role: 'worker' } })).status).toBe(200)
    expect((await harness.call('GET', '/leased', { as: { role: 'viewer' } })).status).toBe(403)
  })

  it('has no identity to offer on an open route', async () => {
    expect((await harness.call('GET', '/open-identity')).status).toBe(500)
  })
})
