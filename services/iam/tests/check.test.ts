import { status } from '@grpc/grpc-js'
import { IDENTITY_HEADER, IdentityVerifier } from '@millrace/identity'
import { matchRoute, routes } from '@millrace/routes'
import jwt from 'jsonwebtoken'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Iam, startIam } from './support.js'

let iam: Iam
beforeAll(async () => {
  iam = await startIam()
})
afterAll(() => iam.stop())

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const example = (path: string) => path.replaceAll(/\{[a-z]+\+?\}/gi, 'x1')

async function identityOf(headers: Record<string, string>, path = '/api/v1/runs') {
  const answer = await iam.ask('GET', path, headers)
  const signed = answer.okResponse?.headers.find(({ header }) => header?.key === IDENTITY_HEADER)?.header?.value ?? ''
  const jwks = await iam.api('GET', '/.well-known/jwks.json')
  const { service } = matchRoute('GET', path.split('?')[0] ?? '')?.route ?? { service: 'workflow' }
  const verifier = new IdentityVerifier(async () => jwks.body)
  return { signed, identity: await verifier.verify(signed, { service, method: 'GET', target: path }) }
}

describe('without a credential', () => {
  test('every route but the open ones is refused, and so is a path that does not exist', async () => {
    for (const route of routes) {
      const answer = await iam.ask(route.method, example(route.path), {})
      if (route.access === 'open') expect(answer.status?.code, route.operationId).toBe(status.OK)
      else expect(answer.deniedResponse?.status?.code, route.operationId).toBe(401)
    }
    for (const path of ['/api/v1/nothing', '/api/v2', '/metrics', '/', '/api/v1/auth/registers']) {
      expect((await iam.ask('GET', path, {})).deniedResponse?.status?.code).toBe(401)
    }
  })

  test('an open path under another method is not open', async () => {
    expect((await iam.ask('DELETE', '/api/v1/auth/login', {})).deniedResponse?.status?.code).toBe(401)
  })

  test('an open route has a forged identity taken away', async () => {
    const answer = await iam.ask('POST', '/api/v1/auth/login', { [IDENTITY_HEADER]: 'forged' })
    expect(answer.okResponse).toMatchObject({ headers: [], headersToRemove: [IDENTITY_HEADER] })
  })

  test('the refusal is a whole problem document', async () => {
    const reply = await iam.api('GET', '/api/v1/runs')
    expect(reply.status).toBe(401)
    expect(reply.headers.get('content-type')).toBe('application/problem+json')
    expect(reply.headers.get('www-authenticate')).toBe('Bearer')
    expect(reply.body).toMatchObject({
      type: expect.any(String),
      title: 'Unauthorized',
      status: 401,
      detail: expect.any(String),
      code: 'unauthenticated',
      requestId: 'test-request',
    })
  })
})

describe('with a bad credential', () => {
  test.each([
    ['another scheme', 'Basic YTpi'],
    ['an empty bearer', 'Bearer '],
    ['a word', 'Bearer hello'],
    ['an unknown key', `Bearer mr_${'A'.repeat(43)}`],
    ['half a key', 'Bearer mr_abc'],
    ['a huge text', `Bearer ${'a.b'.repeat(3000)}`],
    ['an unsigned token', `Bearer ${jwt.sign({ sub: 'x', sid: 'y' }, '', { algorithm: 'none' })}`],
    ['a token of another key', `Bearer ${jwt.sign({ sub: 'x' }, 'secret', { keyid: 'k' })}`],
  ])('%s is refused', async (_name, authorization) => {
    expect((await iam.ask('GET', '/api/v1/runs', { authorization })).deniedResponse?.status?.code).toBe(401)
  })

  test('a refresh token and a signed identity are no access tokens', async () => {
    const { token, refreshToken } = await iam.newUser()
    const { signed } = await identityOf(bearer(token))
    for (const wrong of [refreshToken, signed]) {
      expect((await iam.ask('GET', '/api/v1/runs', bearer(wrong))).deniedResponse?.status?.code).toBe(401)
    }
  })

  test('an access token is no identity: showing it to a service directly gives nothing', async () => {
    const { token } = await iam.newUser()
    const direct = await iam.send(`${iam.base}/api/v1/auth/me`, 'GET', {}, { [IDENTITY_HEADER]: token })
    expect(direct.status).toBe(401)
    expect((await iam.send(`${iam.base}/api/v1/auth/me`, 'GET', {}, bearer(token))).status).toBe(401)
  })

  test('an expired token is refused, also while it is still cached', async () => {
    const brief = await startIam({
      tokens: { accessMs: 1000, refreshMs: 60_000, sessionMs: 3_600_000 },
      credentialCacheMs: 5000,
    })
    try {
      const { token } = await brief.newUser()
      expect((await brief.api('GET', '/api/v1/auth/me', { token })).status).toBe(200)
      await expect
        .poll(async () => (await brief.api('GET', '/api/v1/auth/me', { token })).status, { timeout: 4000 })
        .toBe(401)
    } finally {
      await brief.stop()
    }
  })
})

describe('with a good credential', () => {
  test('the answer sets a verifiable identity over whatever came in, and holds the credential back', async () => {
    const { token, id, email, project } = await iam.newUser()
    const answer = await iam.ask('GET', '/api/v1/runs', { ...bearer(token), [IDENTITY_HEADER]: 'forged' })
    expect(answer.okResponse).toMatchObject({ headers: [{ appendAction: 2 }], headersToRemove: ['authorization'] })
    const { identity } = await identityOf(bearer(token))
    expect(identity).toMatchObject({
      subject: `user:${id}`,
      userId: id,
      email,
      projectId: project.id,
      project: project.slug,
      role: 'owner',
      admin: false,
    })
    expect(identity.expiresAt).toBeLessThanOrEqual(Date.now() / 1000 + 61)
  })

  test('a service with an open stream gets the credential, to ask again', async () => {
    const { token } = await iam.newUser()
    const answer = await iam.ask('GET', '/api/v1/runs/x/events', bearer(token))
    expect(answer.okResponse?.headersToRemove).toEqual([])
  })

  test('each request has a signature of its own, which no other service, method or query takes', async () => {
    const { token } = await iam.newUser()
    const one = await identityOf(bearer(token))
    expect((await identityOf(bearer(token))).signed).not.toBe(one.signed)
    const me = '/api/v1/auth/me'
    const { signed } = await identityOf(bearer(token), me)
    const show = (path: string, identity: string, method = 'GET') =>
      iam.send(`${iam.base}${path}`, method, {}, { [IDENTITY_HEADER]: identity })
    expect((await show(me, one.signed)).status).toBe(401)
    expect((await show('/api/v1/projects', signed)).status).toBe(401)
    expect((await show(`${me}?x=1`, signed)).status).toBe(401)
    expect((await show(me, signed, 'HEAD')).status).toBe(401)
    expect((await show(me, signed)).status).toBe(200)
  })

  test('a path that does not exist is let through, to be answered 404', async () => {
    const { token } = await iam.newUser()
    expect((await iam.ask('GET', '/api/v1/nothing', bearer(token))).status?.code).toBe(status.OK)
    expect((await iam.api('GET', '/api/v1/nothing', { token })).status).toBe(404)
  })

  test('another project is a 404, and so is one that does not exist', async () => {
    const { token } = await iam.newUser()
    const other = await iam.newUser()
    for (const project of [other.project.slug, 'no-such-project', '%', "x' or 1=1", 'x'.repeat(5000)]) {
      expect(await iam.api('GET', '/api/v1/runs', { token, project })).toMatchObject({
        status: 404,
        body: { code: 'project_not_found' },
      })
    }
  })

  test('a role too low is a 403', async () => {
    const owner = await iam.newUser()
    const viewer = await iam.newUser()
    const { slug } = owner.project
    await iam.join(slug, viewer.id, 'viewer')
    const headers = { ...bearer(viewer.token), 'x-millrace-project': slug }
    expect((await iam.ask('GET', '/api/v1/runs', headers)).status?.code).toBe(status.OK)
    const denied = await iam.ask('POST', '/api/v1/workflows', headers)
    expect(denied.deniedResponse?.status?.code).toBe(403)
    expect((await iam.ask('GET', '/api/v1/users', headers)).deniedResponse?.status?.code).toBe(403)
  })

  test.each(['//api/v1/runs', '/api/v1/../v1/users', '/api/v1/auth%2flogin', '/api\\v1', '/api/v1/%2e%2e/users'])(
    '%s is refused as malformed',
    async (path) => {
      const { token } = await iam.newUser()
      expect((await iam.ask('GET', path, bearer(token))).deniedResponse?.status?.code).toBe(400)
    },
  )

  test('the query decides nothing', async () => {
    const denied = await iam.ask('GET', '/api/v1/runs?x=/api/v1/auth/login', {})
    expect(denied.deniedResponse?.status?.code).toBe(401)
    expect((await iam.ask('GET', '/healthz?a=b', {})).status?.code).toBe(status.OK)
  })
})

describe('what changes takes effect', () => {
  test('at once in this process: a removed member, a lower role, a revoked key, a disabled user', async () => {
    const owner = await iam.newUser()
    const guest = await iam.newUser()
    const { slug } = owner.project
    const members = `/api/v1/projects/${slug}/members`
    const asGuest = () => iam.api('GET', '/api/v1/api-keys', { token: guest.token, project: slug })
    const role = (name: string) =>
      iam.api('PUT', members, { token: owner.token, body: { userId: guest.id, role: name } })
    await iam.join(slug, guest.id, 'owner')
    expect((await asGuest()).status).toBe(200)
    await role('editor')
    expect((await asGuest()).status).toBe(403)
    await iam.api('DELETE', `${members}/${guest.id}`, { token: owner.token })
    expect((await asGuest()).status).toBe(404)
    const admin = await iam.admin()
    const body = { disabled: true }
    expect((await iam.api('PATCH', `/api/v1/users/${guest.id}`, { token: admin.token, body })).status).toBe(200)
    expect((await iam.api('GET', '/api/v1/auth/me', { token: guest.token })).status).toBe(401)
  })

  test('within the life of the cache when another replica makes the change', async () => {
    const replica = await startIam({ masterKey: iam.config.masterKey, credentialCacheMs: 300 }, iam.database)
    try {
      const { token, id } = await iam.newUser()
      expect((await replica.api('GET', '/api/v1/auth/me', { token })).status).toBe(200)
      const admin = await iam.admin()
      await iam.api('PATCH', `/api/v1/users/${id}`, { token: admin.token, body: { disabled: true } })
      await expect
        .poll(async () => (await replica.api('GET', '/api/v1/auth/me', { token })).status, { timeout: 3000 })
        .toBe(401)
    } finally {
      await replica.stop(false)
    }
  })
})

describe('limits and failures', () => {
  test('a caller over the limit waits, and only that caller', async () => {
    const limited = await startIam({ requestsPerMinute: 5 })
    try {
      const one = await limited.newUser()
      const two = await limited.newUser()
      const answers = []
      for (let i = 0; i < 8; i++) answers.push(await limited.api('GET', '/api/v1/auth/me', { token: one.token }))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
      expect(answers[7]?.body.code).toBe('rate_limited')
      const wait = Number(answers[7]?.headers.get('retry-after'))
      expect(wait).toBeGreaterThan(0)
      expect(wait).toBeLessThanOrEqual(12)
      expect((await limited.api('GET', '/api/v1/auth/me', { token: two.token })).status).toBe(200)
    } finally {
      await limited.stop()
    }
  })

  test('with its database gone it lets nothing new through, and answers 503', async () => {
    const lone = await startIam({ credentialCacheMs: 0 })
    const { token } = await lone.newUser()
    await lone.database.drop()
    const answer = await lone.ask('GET', '/api/v1/runs', bearer(token))
    expect(answer.status?.code).not.toBe(status.OK)
    expect(answer.okResponse).toBeFalsy()
    expect(answer.deniedResponse?.status?.code).toBe(503)
    await lone.stop(false)
  })

  test('an empty question is refused', async () => {
    const { createGrpcClient } = await import('@millrace/grpc')
    const { authorizationDefinition } = await import('@millrace/contracts')
    const client = createGrpcClient(authorizationDefinition, `127.0.0.1:${iam.service.grpcPort}`)
    const answer = await client.check({})
    client.close()
    expect(answer.deniedResponse?.status?.code).toBe(400)
  })
})
