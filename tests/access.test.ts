import { createHmac, randomUUID } from 'node:crypto'
import { routes } from '@millrace/routes'
import { waitFor } from '@millrace/testkit'
import jwt from 'jsonwebtoken'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Account, Client, login, newUser, uniqueName } from './support/client.js'
import { addMember } from './support/members.js'
import { expectProblem } from './support/problems.js'
import { rawCall } from './support/raw-call.js'
import { rank, roleCalls } from './support/role-calls.js'
import { fillPath, title } from './support/route-calls.js'
import type { ApiKey, Page } from './support/shapes.js'
import { startTarget, type Target } from './support/target.js'

let target: Target
let anonymous: Client

beforeAll(async () => {
  target = await startTarget()
  anonymous = new Client(target.url)
}, 120_000)

afterAll(() => target?.close())

const closed = routes.filter(({ access }) => access !== 'open')
const open = routes.filter(({ access }) => access === 'open')

describe('without a token', () => {
  test.each(closed.map((route) => [title(route), route] as const))('%s: 401', async (name, route) => {
    const path = fillPath(route, { id: randomUUID(), name: 'some', slug: 'some', userId: randomUUID() })
    expectProblem(await anonymous.call(route.method, path), name, 401)
  })

  test.each([
    '/api',
    '/api/',
    '/api/v1',
    '/api/v1/nothing',
    '/api/v1/runs/',
    '/api/v2/runs',
    '/api/v1/auth/nothing',
    '/api/v1/auth/login/x',
    '/api/v1/artifacts/signed',
    '/api/v1/openapi.json/x',
    '/api/v1//runs',
    '/API/v1/runs',
    '/.well-known/other',
    '/metrics',
    '/api/v1/metrics',
    '/api/v1/auth/../runs',
    '/api/v1/auth/%2e%2e/runs',
    '/docs/../api/v1/runs',
    '/docs/%2e%2e/api/v1/runs',
    '/docs%2f..%2fapi/v1/runs',
    '/healthz/../metrics',
  ])('GET %s tells nothing', async (path) => {
    const reply = await rawCall(target.url, 'GET', path)
    expect([400, 401, 404], `${path} → ${reply.status}`).toContain(reply.status)
    if (path.toLowerCase().startsWith('/api')) expect([400, 401]).toContain(reply.status)
    expect(reply.text).not.toMatch(/# (HELP|TYPE)|"items"/)
  })

  test.each(open.map((route) => [title(route), route] as const))('%s is open', async (name, route) => {
    const reply = await anonymous.call(route.method, fillPath(route, { file: 'swagger-ui.css', token: 'x' }))
    // The token of a signed URL is its own proof, and a bad login is 401 too, but none of these asks for a bearer token.
    if (reply.status >= 400) expectProblem(reply, name)
    expect(reply.text).not.toMatch(/"code":"unauthenticated"/)
    expect(reply.status).toBeLessThan(500)
  })

  test('another method on an open path is not open', async () => {
    for (const [method, path] of [
      ['DELETE', '/api/v1/auth/login'],
      ['GET', '/api/v1/auth/login'],
      ['POST', '/api/v1/openapi.json'],
      ['POST', '/.well-known/jwks.json'],
      ['DELETE', '/api/v1/artifacts/signed/x'],
      ['GET', '/api/v1/hooks/x'],
    ] as const) {
      const reply = await anonymous.call(method, path)
      expect([401, 404, 405], `${method} ${path} → ${reply.status} ${reply.text}`).toContain(reply.status)
    }
  })
})

describe('a forged identity', () => {
  const claims = {
    sub: `user:${randomUUID()}`,
    projectId: randomUUID(),
    project: 'x',
    role: 'owner',
    admin: true,
    aud: 'millrace-internal',
    iss: 'millrace-iam',
  }

  test('an internal header from outside opens nothing', async () => {
    const forged = jwt.sign(claims, 'guess', { expiresIn: 60 })
    const unsigned = jwt.sign(claims, '', { algorithm: 'none', expiresIn: 60 })
    for (const identity of [forged, unsigned, 'x', '']) {
      for (const name of ['x-millrace-identity', 'X-Millrace-Identity', 'x_millrace_identity']) {
        const reply = await anonymous.call('GET', '/api/v1/runs', { headers: { [name]: identity } })
        expect([400, 401], `${name}: ${identity.slice(0, 20)} → ${reply.status}`).toContain(reply.status)
      }
    }
  })

  test('next to a real token it changes nothing', async () => {
    const [one, other] = await Promise.all([newUser(target), newUser(target)])
    const { id } = await one.client.runTasks({ a: { uses: 'noop' } })
    const forged = jwt.sign({ ...claims, projectId: one.project.id, project: one.project.slug }, 'guess')
    const reply = await other.client.call('GET', `/api/v1/runs/${id}`, { headers: { 'x-millrace-identity': forged } })
    expectProblem(reply, 'with a forged identity', 404)
    expectProblem(
      await other.client.call('GET', '/api/v1/users', { headers: { 'x-millrace-identity': forged } }),
      'users with a forged identity',
      403,
    )
  })

  test('a token that is not ours, altered, unsigned or signed with the public key is refused', async () => {
    const { client } = await newUser(target)
    const [header, payload, signature] = (client.token ?? '').split('.') as [string, string, string]
    const { keys } = await anonymous.get<{ keys: object[] }>('/.well-known/jwks.json')
    const decoded = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
    const admin = Buffer.from(JSON.stringify({ ...decoded, admin: true, role: 'owner' })).toString('base64url')
    const none = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${payload}.`
    const kid = (JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }).kid
    const hs = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT', kid })).toString('base64url')
    const withPublicKey = createHmac('sha256', JSON.stringify(keys[0])).update(`${hs}.${payload}`).digest('base64url')
    const bad = [
      `${header}.${admin}.${signature}`,
      none,
      `${hs}.${payload}.${withPublicKey}`,
      signature,
      'a.b.c',
      'mr_x',
    ]
    for (const token of bad) expectProblem(await client.as(token).call('GET', '/api/v1/auth/me'), token, 401)
    for (const authorization of [
      '',
      'Bearer',
      'Bearer ',
      `Basic ${client.token}`,
      `Bearer ${client.token} x`,
      `Bearer a, Bearer ${client.token}`,
    ]) {
      expectProblem(await anonymous.call('GET', '/api/v1/auth/me', { headers: { authorization } }), authorization, 401)
    }
  })
})

describe('roles', () => {
  let owner: Account
  let keys: Record<string, ApiKey>
  let workflow: string

  beforeAll(async () => {
    owner = await newUser(target)
    const made = await Promise.all([...rank, 'worker'].map((role) => owner.client.createKey(role)))
    keys = Object.fromEntries(made.map((key) => [key.role, key]))
    workflow = (await owner.client.createWorkflow({ name: uniqueName('wf'), tasks: { a: { uses: 'noop' } } })).name
  })

  test.each(roleCalls(() => workflow))('to %s needs %s', async (_what, needed, method, path, body) => {
    for (const role of [...rank, 'worker'] as const) {
      const reply = await owner.client.as(keys[role]?.key).call(method, path(), body === undefined ? {} : { body })
      const allowed = role !== 'worker' && rank.indexOf(role) >= rank.indexOf(needed)
      if (allowed) expect([401, 403], `${role} → ${reply.status} ${reply.text}`).not.toContain(reply.status)
      else if (role === 'worker' && path().startsWith('/api/v1/artifacts')) {
        expect(reply.status, 'a worker may announce one only for a lease it holds').toBeGreaterThanOrEqual(400)
      } else expectProblem(reply, role, 403)
    }
  })

  test('members have the roles that the owner gives', async () => {
    const member = await newUser(target)
    const members = `/api/v1/projects/${owner.project.slug}/members`
    const there = member.client.in(owner.project.slug)
    expectProblem(await there.call('GET', '/api/v1/runs'), 'before', 404)
    const byAddress = await owner.client.call('PUT', members, { body: { email: member.email, role: 'viewer' } })
    expectProblem(byAddress, 'without consent', 422)
    await addMember(target, owner.project.slug, member.id, 'viewer')
    await waitFor(async () => (await there.call('GET', '/api/v1/runs')).status === 200, { timeoutMs: 5_000 })
    expectProblem(await there.call('POST', `/api/v1/workflows/${workflow}/runs`), 'a viewer', 403)
    expectProblem(await there.call('PUT', members, { body: { userId: member.id, role: 'owner' } }), 'a climb', 403)
    await owner.client.want(200, 'PUT', `${members}/${member.id}`, { body: { role: 'operator' } })
    await waitFor(async () => (await there.call('POST', `/api/v1/workflows/${workflow}/runs`)).status === 202, {
      timeoutMs: 5_000,
    })
    await owner.client.want(204, 'DELETE', `${members}/${member.id}`)
    await waitFor(async () => (await there.call('GET', '/api/v1/runs')).status === 404, { timeoutMs: 5_000 })
  })

  test('a key is one of its role: no user, no admin, no higher key', async () => {
    const key = owner.client.as(keys.owner?.key)
    expect(keys.owner).toMatchObject({ id: expect.any(String), prefix: expect.any(String), key: expect.any(String) })
    expectProblem(await key.call('GET', '/api/v1/users'), 'users', 403)
    expect(JSON.stringify(await owner.client.get('/api/v1/api-keys'))).not.toContain(keys.owner?.key)
  })
})

describe('taken away', () => {
  test('a revoked key stops working within 5 s', async () => {
    const { client } = await newUser(target)
    const { id, key } = await client.createKey('editor')
    await client.as(key).get('/api/v1/runs')
    await client.want(204, 'DELETE', `/api/v1/api-keys/${id}`)
    await waitFor(async () => (await client.as(key).call('GET', '/api/v1/runs')).status === 401, { timeoutMs: 5_000 })
  })

  test("a disabled user's tokens and keys stop working within 5 s, and the user cannot come back", async () => {
    const { client, id, email, password } = await newUser(target)
    const { key } = await client.createKey('editor')
    await client.as(key).get('/api/v1/runs')
    await client.get('/api/v1/runs')
    const admin = await login(target, target.admin)
    await admin.want(200, 'PATCH', `/api/v1/users/${id}`, { body: { disabled: true } })
    await waitFor(async () => (await client.call('GET', '/api/v1/runs')).status === 401, { timeoutMs: 5_000 })
    expectProblem(await anonymous.call('POST', '/api/v1/auth/login', { body: { email, password } }), 'login', 401)
    await admin.want(200, 'PATCH', `/api/v1/users/${id}`, { body: { disabled: false } })
    await waitFor(async () => (await login(target, { email, password })) !== undefined, { timeoutMs: 5_000 })
  })

  test('a refresh token works once, and its reuse ends the family', async () => {
    const { email, password } = await newUser(target)
    const pair = await anonymous.want<{ refreshToken: string }>(200, 'POST', '/api/v1/auth/login', {
      body: { email, password },
    })
    const refresh = (refreshToken: string) =>
      anonymous.call<{ accessToken: string; refreshToken: string }>('POST', '/api/v1/auth/refresh', {
        body: { refreshToken },
      })
    const second = await refresh(pair.refreshToken)
    expect(second.status).toBe(200)
    await anonymous.as(second.body.accessToken).get('/api/v1/auth/me')
    expectProblem(await refresh(pair.refreshToken), 'reuse', 401)
    expectProblem(await refresh(second.body.refreshToken), 'the family', 401)
  })
})

test('platform administration is for administrators', async () => {
  const { client } = await newUser(target)
  expectProblem(await client.call('GET', '/api/v1/users'), 'list users', 403)
  expectProblem(await client.call('PATCH', `/api/v1/users/${randomUUID()}`, { body: { admin: true } }), 'climb', 403)
  const admin = await login(target, target.admin)
  expect((await admin.get<Page<unknown>>('/api/v1/users')).items.length).toBeGreaterThan(0)
})

test('metrics are not served to anyone', async () => {
  const admin = await login(target, target.admin)
  for (const path of [
    '/metrics',
    '/api/metrics',
    '/api/v1/metrics',
    '//metrics',
    '/docs/../metrics',
    '/docs/%2e%2e/metrics',
  ]) {
    const reply = await rawCall(target.url, 'GET', path, { authorization: `Bearer ${admin.token}` })
    expect([400, 401, 404], path).toContain(reply.status)
    expect(reply.text).not.toMatch(/# (HELP|TYPE)/)
  }
})
