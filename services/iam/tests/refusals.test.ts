import { createHash, randomBytes } from 'node:crypto'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Iam, password, startIam } from './support.js'

let iam: Iam
beforeAll(async () => {
  iam = await startIam({ requestsPerMinute: 400, credentialCacheMs: 0 })
})
afterAll(() => iam.stop())

interface Entry {
  actor: string
  action: string
  target: string
  ip: string
  projectId: string
  requestId: string
  outcome: string
}

async function denials(token: string, query = ''): Promise<Entry[]> {
  const { body } = await iam.api('GET', `/api/v1/audit?outcome=denied&limit=200${query}`, { token })
  return body.items
}

async function found(token: string, query: string): Promise<Entry> {
  return waitFor(async () => (await denials(token, query))[0], { timeoutMs: 20_000 })
}

test('what a role may not do is in the log of the project, with who tried and from where', async () => {
  const owner = await iam.newUser()
  const viewer = await iam.newUser()
  await iam.join(owner.project.slug, viewer.id, 'viewer')
  const asked = { token: viewer.token, project: owner.project.slug, headers: { 'x-forwarded-for': '203.0.113.9' } }
  expect((await iam.api('PUT', '/api/v1/secrets/x', { ...asked, body: { value: 'v' } })).status).toBe(403)
  expect(await found(owner.token, `&actor=user:${viewer.id}`)).toMatchObject({
    ...{ action: 'access.denied', target: 'putSecret:role_required', outcome: 'denied' },
    ...{ ip: '203.0.113.9', projectId: owner.project.id, requestId: 'test-request', role: 'viewer' },
  })
})

test('a refusal of the service itself is there too', async () => {
  const owner = await iam.newUser()
  const path = `/api/v1/projects/${owner.project.slug}`
  expect((await iam.api('PATCH', path, { token: owner.token, body: { quotas: { streams: 1 } } })).status).toBe(403)
  expect((await found(owner.token, `&actor=user:${owner.id}`)).target).toBe('updateProject:admin_required')
})

test('a credential that was good once is known: a revoked key, a user that was disabled', async () => {
  const owner = await iam.newUser()
  const { body: key } = await iam.api('POST', '/api/v1/api-keys', {
    token: owner.token,
    body: { name: 'k', role: 'viewer' },
  })
  await iam.api('DELETE', `/api/v1/api-keys/${key.id}`, { token: owner.token })
  expect((await iam.api('GET', '/api/v1/runs', { token: key.key })).status).toBe(401)
  expect((await found(owner.token, `&actor=key:${key.id}`)).target).toBe('listRuns:api_key_revoked')

  const { token: admin } = await iam.admin()
  const other = await iam.newUser()
  await iam.api('PATCH', `/api/v1/users/${other.id}`, { token: admin, body: { disabled: true } })
  expect((await iam.api('GET', '/api/v1/runs', { token: other.token })).status).toBe(401)
  expect((await found(admin, `&allProjects=true&actor=user:${other.id}`)).target).toBe('listRuns:user_disabled')
})

test('hundreds of refusals make few entries, and strangers make none', async () => {
  const owner = await iam.newUser()
  const before = await iam.pool.query(`select count(*)::int as n from audit where outcome = 'denied'`)
  for (let n = 0; n < 300; n++)
    expect((await iam.ask('GET', '/api/v1/users', bearer(owner.token))).okResponse).toBeFalsy()
  for (let n = 0; n < 100; n++) await iam.ask('GET', '/api/v1/runs', bearer(`nobody-${n}`))
  expect((await found(owner.token, `&actor=user:${owner.id}`)).target).toBe('listUsers:admin_required')
  const after = await iam.pool.query(`select count(*)::int as n from audit where outcome = 'denied'`)
  // One, and two more should the minute end in between.
  expect(after.rows[0].n - before.rows[0].n).toBeLessThanOrEqual(3)
})

test('too many requests are refused, and recorded', async () => {
  const owner = await iam.newUser()
  const reader = await iam.newUser()
  await iam.join(owner.project.slug, reader.id, 'owner')
  let refused = false
  for (let n = 0; n < 600 && !refused; n++) {
    refused = (await iam.ask('GET', '/api/v1/runs', bearer(owner.token))).deniedResponse?.status?.code === 429
  }
  expect(refused).toBe(true)
  const entry = await waitFor(
    async () => {
      const path = `/api/v1/audit?outcome=denied&actor=user:${owner.id}`
      return (await iam.api('GET', path, { token: reader.token, project: owner.project.slug })).body.items[0]
    },
    { timeoutMs: 20_000 },
  )
  expect(entry).toMatchObject({ target: 'listRuns:rate_limited', outcome: 'denied' })
})

test('a refused login of an account that exists is there, of one that does not it is not', async () => {
  const few = { ...iam.config.login, perAccount: 2, maxDelayMs: 0 }
  const strict = await startIam({ login: few, requireVerifiedEmail: true })
  onTestFinished(() => strict.stop())
  const email = 'known@example.org'
  const { body: made } = await strict.api('POST', '/api/v1/auth/register', { body: { email, password } })
  const enter = (address: string, word: string) =>
    strict.api('POST', '/api/v1/auth/login', { body: { email: address, password: word } })
  expect((await enter(email, password)).body.code).toBe('email_unverified')
  for (const address of [email, 'unknown@example.org'])
    for (let n = 0; n < 3; n++) await enter(address, 'not the password')
  expect((await enter(email, password)).status).toBe(429)
  const targets = await waitFor(
    async () => {
      const { rows } = await strict.pool.query(`select actor, target from audit where action = 'access.denied'`)
      return rows.length >= 2 ? rows : undefined
    },
    { timeoutMs: 20_000 },
  )
  expect(new Set(targets.map(({ target }) => target))).toEqual(
    new Set(['login:email_unverified', 'login:too_many_logins']),
  )
  expect(new Set(targets.map(({ actor }) => actor))).toEqual(new Set([`user:${made.user.id}`]))
})

test('so is a link that has expired, and a registration that is closed', async () => {
  const closed = await startIam({ openRegistration: false })
  onTestFinished(() => closed.stop())
  const { email } = closed.config.admin
  const { rows: users } = await closed.pool.query<{ id: string }>('select id from users where email = $1', [email])
  const id = users[0]?.id
  const token = randomBytes(24).toString('base64url')
  await closed.pool.query(
    `insert into one_time_tokens (hash, purpose, user_id, expires_at) values ($1, 'reset', $2, now() - interval '1 s')`,
    [createHash('sha256').update(token).digest(), id],
  )
  const body = { email, password }
  expect((await closed.api('POST', '/api/v1/auth/register', { body })).status).toBe(403)
  expect(
    (await closed.api('POST', '/api/v1/auth/password/reset', { body: { token, new: body.password } })).status,
  ).toBe(422)
  await waitFor(
    async () => {
      const { rows } = await closed.pool.query(`select target from audit where actor = $1`, [`user:${id}`])
      const seen = rows.map(({ target }) => target)
      return seen.includes('resetPassword:invalid_token') && seen.includes('register:registration_closed')
    },
    { timeoutMs: 20_000 },
  )
})

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
