import jwt from 'jsonwebtoken'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Iam, password, startIam } from './support.js'

let iam: Iam
beforeAll(async () => {
  iam = await startIam()
})
afterAll(() => iam.stop())

const register = (body: unknown) => iam.api('POST', '/api/v1/auth/register', { body })
const login = (email: string, secret: string) =>
  iam.api('POST', '/api/v1/auth/login', { body: { email, password: secret } })

describe('registering', () => {
  test('makes a user and a project of their own', async () => {
    const { status, body } = await register({ email: 'Ada.Lovelace@Example.org', password, name: 'Ada' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      user: { id: expect.any(String), email: 'ada.lovelace@example.org', name: 'Ada' },
      project: { id: expect.any(String), slug: 'ada-lovelace' },
    })
    expect(JSON.stringify(body)).not.toContain('assword')
  })

  test('stores an argon2id hash and nothing of the password', async () => {
    const { email } = await iam.newUser()
    const { rows } = await iam.pool.query('select password_hash from users where email = $1', [email])
    expect(rows[0].password_hash).toMatch(/^\$argon2id\$/)
    expect(rows[0].password_hash).not.toContain(password)
  })

  test('the same address in another spelling is taken', async () => {
    await register({ email: 'twice@example.org', password })
    for (const email of ['twice@example.org', 'TWICE@EXAMPLE.ORG', ' twice@example.org ']) {
      expect(await register({ email, password })).toMatchObject({ status: 409, body: { code: 'email_taken' } })
    }
  })

  test('twenty at once with one address make one user', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => register({ email: 'race@example.org', password })),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)])
  })

  test('a slug that is taken gets a suffix', async () => {
    const one = await register({ email: 'same@one.example', password })
    const two = await register({ email: 'same@two.example', password })
    expect(one.body.project.slug).toBe('same')
    expect(two.body.project.slug).toMatch(/^same-[0-9a-f]{8}$/)
  })

  test.each([
    ['short', 'elevenchars', 'too_short'],
    ['one character', 'a'.repeat(40), 'one_character'],
    ['one emoji', '😀'.repeat(12), 'one_character'],
    ['common', 'password1234', 'common'],
    ['common in disguise', 'P@ssw0rd!2024', 'common'],
    ['a keyboard row', 'qwertyuiopas', 'common'],
    ['digits in order', '123456789012', 'common'],
    ['the address', 'weak@example.org', 'address'],
    ['the address in capitals', ' Weak@Example.ORG', 'address'],
  ])('a weak password (%s) is refused', async (_name, weak, code) => {
    expect(await register({ email: 'weak@example.org', password: weak })).toMatchObject({
      status: 422,
      body: { code: 'weak_password', errors: [{ path: '/password', code }] },
    })
  })

  test.each([
    ['no body', undefined, 400],
    ['broken JSON', '{"email":', 400],
    ['a list', [], 422],
    ['no password', { email: 'a@b.c' }, 422],
    ['numbers', { email: 1, password: 2 }, 422],
    ['an unknown field', { email: 'a@b.c', password, admin: true }, 422],
    ['no address', { email: 'nobody', password }, 422],
    ['two addresses', { email: 'a@b.c,d@e.f', password }, 422],
    ['a line break', { email: 'a@b.c\r\nBcc: x@y.z', password }, 422],
    ['NUL', { email: 'a\u0000@b.c', password }, 422],
    ['a huge address', { email: `${'a'.repeat(300)}@b.c`, password }, 422],
    ['a huge password', { email: 'a@b.c', password: 'ab'.repeat(5000) }, 422],
  ])('%s is refused without a fault of ours', async (_name, body, status) => {
    const reply = await register(body)
    expect(reply.status).toBe(status)
    expect(reply.headers.get('content-type')).toBe('application/problem+json')
    expect(reply.body).toMatchObject({ status, code: expect.any(String), requestId: 'test-request' })
  })

  test('is bounded for each address, and so is what one user creates', async () => {
    const tight = await startIam({ registrationsPerMinute: 2, projectsPerUser: 3 })
    try {
      const from = (ip: string, i: number) =>
        tight.api('POST', '/api/v1/auth/register', {
          body: { email: `r${i}-${ip.length}@example.org`, password },
          headers: { 'x-forwarded-for': ip },
        })
      expect([(await from('192.0.2.1', 1)).status, (await from('192.0.2.1', 2)).status]).toEqual([201, 201])
      const limited = await from('192.0.2.1', 3)
      expect(limited).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
      expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await from('192.0.2.200', 4)).status).toBe(201)
      const { token } = await tight.login('r1-9@example.org')
      const create = (i: number) => tight.api('POST', '/api/v1/projects', { token, body: { slug: `mine-${i}` } })
      const made = await Promise.all([1, 2, 3, 4].map(create))
      expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429])
      expect(made.find(({ status }) => status === 429)?.body).toMatchObject({
        code: 'quota_exceeded',
        errors: [{ code: 'projects' }],
      })
    } finally {
      await tight.stop()
    }
  })

  test('can be closed', async () => {
    const closed = await startIam({ openRegistration: false })
    try {
      const body = { email: 'a@example.org', password }
      expect(await closed.api('POST', '/api/v1/auth/register', { body })).toMatchObject({
        status: 403,
        body: { code: 'registration_closed' },
      })
    } finally {
      await closed.stop()
    }
  })
})

describe('logging in', () => {
  test('gives a pair whose access token is ES256, lives at most 15 minutes, and is verified by the JWKS', async () => {
    const { email } = await iam.newUser()
    const { status, body } = await login(email.toUpperCase(), password)
    expect(status).toBe(200)
    expect(body).toMatchObject({ tokenType: 'Bearer', expiresIn: 900 })
    const token = jwt.decode(body.accessToken, { complete: true })
    expect(token?.header.alg).toBe('ES256')
    const jwks = await iam.api('GET', '/.well-known/jwks.json')
    const key = jwks.body.keys.find((k: { kid: string }) => k.kid === token?.header.kid)
    expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', use: 'sig', alg: 'ES256' })
    expect(key).not.toHaveProperty('d')
  })

  test('answers alike for a wrong password and an unknown address', async () => {
    const { email } = await iam.newUser()
    const wrong = await login(email, 'not the passphrase')
    const unknown = await login('nobody-at-all@example.org', 'not the passphrase')
    expect(wrong).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } })
    expect(unknown.body).toEqual(wrong.body)
  })

  test('takes the same time for an unknown address', async () => {
    const slow = await startIam({
      password: { memoryKib: 19_456, passes: 2 },
      login: { ...iam.config.login, perAccount: 99, maxDelayMs: 0 },
    })
    try {
      const { email } = await slow.newUser()
      const timeOf = async (address: string) => {
        const start = performance.now()
        await slow.api('POST', '/api/v1/auth/login', { body: { email: address, password: 'not it at all' } })
        return performance.now() - start
      }
      // The least of many, taken by turns: what else the machine does can only add.
      let known = Number.POSITIVE_INFINITY
      let unknown = Number.POSITIVE_INFINITY
      for (let i = 0; i < 20; i++) {
        known = Math.min(known, await timeOf(email))
        unknown = Math.min(unknown, await timeOf('nobody@example.org'))
      }
      // Without the dummy hash the unknown address answers many times faster.
      expect(unknown / known).toBeGreaterThan(0.5)
      expect(unknown / known).toBeLessThan(2)
    } finally {
      await slow.stop()
    }
  })
})

describe('refreshing', () => {
  const refresh = (refreshToken: string) => iam.api('POST', '/api/v1/auth/refresh', { body: { refreshToken } })

  test('rotates: the new pair works, and again', async () => {
    const { refreshToken } = await iam.newUser()
    const first = await refresh(refreshToken)
    expect(first.status).toBe(200)
    const second = await refresh(first.body.refreshToken)
    expect(second.status).toBe(200)
    expect(second.body.refreshToken).not.toBe(first.body.refreshToken)
    expect((await iam.api('GET', '/api/v1/auth/me', { token: second.body.accessToken })).status).toBe(200)
  })

  test('a token shown twice ends its whole family, access tokens too, and no other', async () => {
    const { email, token, refreshToken } = await iam.newUser()
    const other = await iam.login(email)
    const next = await refresh(refreshToken)
    expect(await refresh(refreshToken)).toMatchObject({ status: 401, body: { code: 'refresh_token_reused' } })
    expect((await refresh(next.body.refreshToken)).status).toBe(401)
    expect((await iam.api('GET', '/api/v1/auth/me', { token })).status).toBe(401)
    expect((await iam.api('GET', '/api/v1/auth/me', { token: next.body.accessToken })).status).toBe(401)
    expect((await iam.api('GET', '/api/v1/auth/me', { token: other.token })).status).toBe(200)
    expect((await refresh(other.refreshToken)).status).toBe(200)
  })

  test('ten callers with one token: one at most wins, and the family is gone', async () => {
    const { refreshToken } = await iam.newUser()
    const replies = await Promise.all(Array.from({ length: 10 }, () => refresh(refreshToken)))
    const won = replies.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    expect((await refresh(won[0]?.body.refreshToken)).status).toBe(401)
  })

  test.each(['', 'x', 'mr_abc', `mrr_${'A'.repeat(43)}`, 'a'.repeat(4000)])('%s is no refresh token', async (bad) => {
    expect(await refresh(bad)).toMatchObject({ status: 401, body: { code: 'invalid_refresh_token' } })
  })

  test('only a hash of the token is stored', async () => {
    const { refreshToken } = await iam.newUser()
    const { rows } = await iam.pool.query('select encode(hash, $1) as hash from refresh_tokens', ['hex'])
    expect(JSON.stringify(rows)).not.toContain(refreshToken)
    expect(rows.every(({ hash }) => /^[0-9a-f]{64}$/.test(hash))).toBe(true)
  })

  test('an expired one is refused', async () => {
    const { refreshToken, id } = await iam.newUser()
    await iam.pool.query(
      `update refresh_tokens set expires_at = now() - interval '1 second' where family_id in
        (select id from refresh_families where user_id = $1)`,
      [id],
    )
    expect((await refresh(refreshToken)).status).toBe(401)
  })

  test('logging out ends it at once; logging out again is no fault', async () => {
    const { token, refreshToken } = await iam.newUser()
    await iam.api('GET', '/api/v1/auth/me', { token })
    const logout = () => iam.api('POST', '/api/v1/auth/logout', { body: { refreshToken } })
    expect((await logout()).status).toBe(204)
    expect((await logout()).status).toBe(204)
    expect((await refresh(refreshToken)).status).toBe(401)
    expect((await iam.api('GET', '/api/v1/auth/me', { token })).status).toBe(401)
    expect((await iam.api('POST', '/api/v1/auth/logout', { body: { refreshToken: 'rubbish' } })).status).toBe(204)
  })
})

describe('changing the password', () => {
  const change = (token: string, current: string, next: string) =>
    iam.api('POST', '/api/v1/auth/password', { token, body: { current, new: next } })
  const fresh = 'another good passphrase 8'

  test('takes the new one, ends other logins and keeps this one', async () => {
    const { email, token, refreshToken } = await iam.newUser()
    const other = await iam.login(email)
    expect((await change(token, password, fresh)).status).toBe(204)
    expect((await iam.api('GET', '/api/v1/auth/me', { token })).status).toBe(200)
    expect((await iam.api('GET', '/api/v1/auth/me', { token: other.token })).status).toBe(401)
    expect((await iam.api('POST', '/api/v1/auth/refresh', { body: { refreshToken } })).status).toBe(200)
    expect((await iam.api('POST', '/api/v1/auth/refresh', { body: other })).status).toBe(422)
    const gone = { refreshToken: other.refreshToken }
    expect((await iam.api('POST', '/api/v1/auth/refresh', { body: gone })).status).toBe(401)
    expect((await login(email, password)).status).toBe(401)
    expect((await login(email, fresh)).status).toBe(200)
  })

  test('needs the current one, a strong new one, and a token', async () => {
    const { token } = await iam.newUser()
    expect(await change(token, 'wrong', fresh)).toMatchObject({ status: 422, body: { code: 'wrong_password' } })
    expect(await change(token, password, 'short')).toMatchObject({ status: 422, body: { code: 'weak_password' } })
    const body = { current: password, new: fresh }
    expect((await iam.api('POST', '/api/v1/auth/password', { body })).status).toBe(401)
  })

  test('cannot be used to guess without end', async () => {
    const { token } = await iam.newUser()
    for (let i = 0; i < 10; i++) await change(token, 'wrong', fresh)
    const limited = await change(token, password, fresh)
    expect(limited).toMatchObject({ status: 429, body: { code: 'too_many_logins' } })
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

test('me names the user and every project with its role', async () => {
  const { email, id, token, project } = await iam.newUser()
  const { body } = await iam.api('GET', '/api/v1/auth/me', { token })
  expect(body).toMatchObject({
    user: { id, email },
    projects: [{ id: project.id, slug: project.slug, role: 'owner' }],
  })
})
