import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Iam, password, type Reply, startIam } from './support.js'

let iam: Iam
beforeAll(async () => {
  iam = await startIam()
})
afterAll(() => iam.stop())

const console1 = { 'x-millrace-console': '1' }

const cookieLogin = (email: string, headers: Record<string, string> = {}) =>
  iam.api('POST', '/api/v1/auth/login', { body: { email, password, session: 'cookie' }, headers })

const setCookie = (reply: Reply) =>
  reply.headers.getSetCookie().find((cookie) => cookie.startsWith('millrace_refresh=')) ?? ''
/** What a browser would send back. */
const cookieFrom = (reply: Reply) => setCookie(reply).split(';', 1)[0] ?? ''

const refresh = (headers: Record<string, string>) => iam.api('POST', '/api/v1/auth/refresh', { headers })
const me = (token: string) => iam.api('GET', '/api/v1/auth/me', { token })

describe('a cookie session', () => {
  test('keeps the refresh token out of the body, in a cookie that scripts and other sites cannot use', async () => {
    const { email } = await iam.newUser()
    const reply = await cookieLogin(email)
    expect(reply.status).toBe(200)
    expect(Object.keys(reply.body).sort()).toEqual(['accessToken', 'expiresIn', 'tokenType'])
    const cookie = setCookie(reply)
    expect(cookie).toMatch(/^millrace_refresh=mrr_/)
    for (const part of ['HttpOnly', 'SameSite=Strict', 'Path=/api/v1/auth', 'Max-Age=2592000']) {
      expect(cookie).toContain(part)
    }
    expect(cookie).not.toContain('Secure')
    expect((await me(reply.body.accessToken)).status).toBe(200)
    expect(setCookie(await cookieLogin(email, { 'x-forwarded-proto': 'https' }))).toContain('Secure')
  })

  test('is refreshed and ended without a body, only with the console header', async () => {
    const { email } = await iam.newUser()
    const first = cookieFrom(await cookieLogin(email))
    expect(await refresh({ cookie: first })).toMatchObject({ status: 403, body: { code: 'console_header_required' } })
    expect((await refresh({ cookie: first, 'x-millrace-console': 'yes' })).status).toBe(403)
    expect(await refresh({})).toMatchObject({ status: 400, body: { code: 'body_required' } })
    expect((await refresh(console1)).status).toBe(401)
    const next = await refresh({ cookie: `theme=dark; ${first}`, ...console1 })
    expect(next.status).toBe(200)
    expect(next.body).not.toHaveProperty('refreshToken')
    const second = cookieFrom(next)
    expect(second).not.toBe(first)
    const logout = (headers: Record<string, string>) => iam.api('POST', '/api/v1/auth/logout', { headers })
    expect((await logout({ cookie: second })).status).toBe(403)
    expect((await me(next.body.accessToken)).status).toBe(200)
    const out = await logout({ cookie: second, ...console1 })
    expect(out.status).toBe(204)
    expect(setCookie(out)).toMatch(/^millrace_refresh=;.*Max-Age=0/)
    expect((await me(next.body.accessToken)).status).toBe(401)
    expect((await logout(console1)).status).toBe(204)
  })

  test('that is reused, also by two at once, ends, and the cookie is taken back', async () => {
    const { email } = await iam.newUser()
    const cookie = cookieFrom(await cookieLogin(email))
    const replies = await Promise.all([1, 2].map(() => refresh({ cookie, ...console1 })))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401])
    const lost = replies.find(({ status }) => status === 401)
    expect(lost?.body.code).toBe('refresh_token_reused')
    expect(lost && setCookie(lost)).toContain('Max-Age=0')
    const won = replies.find(({ status }) => status === 200)
    expect((await refresh({ cookie: won ? cookieFrom(won) : '', ...console1 })).status).toBe(401)
  })

  test('and one of tokens are not interchangeable', async () => {
    const { email, refreshToken } = await iam.newUser()
    const cookie = cookieFrom(await cookieLogin(email))
    const inBody = { refreshToken: cookie.slice('millrace_refresh='.length) }
    expect((await iam.api('POST', '/api/v1/auth/refresh', { body: inBody })).status).toBe(401)
    expect((await refresh({ cookie: `millrace_refresh=${refreshToken}`, ...console1 })).status).toBe(401)
    expect((await refresh({ cookie, ...console1 })).status).toBe(200)
    expect((await iam.api('POST', '/api/v1/auth/refresh', { body: { refreshToken } })).status).toBe(200)
  })
})

describe('sessions', () => {
  const path = '/api/v1/auth/sessions'

  test('are listed with where they began, and ended one by one', async () => {
    const { email, token } = await iam.newUser()
    const other = await cookieLogin(email, { 'user-agent': 'Browser/1', 'x-forwarded-for': '192.0.2.7' })
    const { body } = await iam.api('GET', path, { token })
    expect(body.items).toMatchObject([
      { kind: 'cookie', ip: '192.0.2.7', userAgent: 'Browser/1', current: false },
      { kind: 'token', current: true },
    ])
    expect(Date.parse(body.items[0].expiresAt)).toBeGreaterThan(Date.now())
    expect((await iam.api('DELETE', `${path}/${body.items[0].id}`, { token })).status).toBe(204)
    expect((await me(other.body.accessToken)).status).toBe(401)
    expect((await iam.api('DELETE', `${path}/${body.items[0].id}`, { token })).status).toBe(404)
    expect((await me(token)).status).toBe(200)
    expect((await iam.api('GET', path, { token })).body.items).toHaveLength(1)
  })

  test('of others are not there, and an API key has none', async () => {
    const one = await iam.newUser()
    const two = await iam.newUser()
    const [session] = (await iam.api('GET', path, { token: one.token })).body.items
    expect((await iam.api('DELETE', `${path}/${session.id}`, { token: two.token })).status).toBe(404)
    expect((await iam.api('DELETE', `${path}/rubbish`, { token: two.token })).status).toBe(404)
    expect((await me(one.token)).status).toBe(200)
    const body = { name: 'k', role: 'owner' }
    const { key } = (await iam.api('POST', '/api/v1/api-keys', { token: one.token, body })).body
    expect((await iam.api('GET', path, { token: key })).status).toBe(403)
  })

  test('do not slide for ever: refreshed or not, one ends at its end', async () => {
    const { id, refreshToken } = await iam.newUser()
    const again = (token: string) => iam.api('POST', '/api/v1/auth/refresh', { body: { refreshToken: token } })
    await iam.pool.query(`update refresh_families set ends_at = now() + interval '1 hour' where user_id = $1`, [id])
    const next = await again(refreshToken)
    expect(next.status).toBe(200)
    const { rows } = await iam.pool.query(
      `select max(t.expires_at) <= max(f.ends_at) and max(f.expires_at) <= max(f.ends_at) as bounded
       from refresh_tokens t join refresh_families f on f.id = t.family_id
       where f.user_id = $1 and t.used_at is null`,
      [id],
    )
    expect(rows[0].bounded).toBe(true)
    await iam.pool.query(
      `with f as (update refresh_families set ends_at = now() - interval '1 second',
         expires_at = now() - interval '1 second' where user_id = $1 returning id)
       update refresh_tokens set expires_at = now() - interval '1 second' from f where family_id = f.id`,
      [id],
    )
    expect((await again(next.body.refreshToken)).status).toBe(401)
  })
})
