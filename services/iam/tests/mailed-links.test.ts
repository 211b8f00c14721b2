import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Iam, password, startIam } from './support.js'

let iam: Iam
beforeAll(async () => {
  iam = await startIam({ requireVerifiedEmail: true, publicUrl: 'https://millrace.example' })
})
afterAll(() => iam.stop())

const post = (path: string, body: unknown) => iam.api('POST', `/api/v1/auth/${path}`, { body })
const login = (email: string, secret = password) => post('login', { email, password: secret })
const bad = { status: 422, body: { code: 'invalid_token' } }
const fresh = 'another good passphrase 8'

async function verifiedUser(email: string) {
  await post('register', { email, password })
  await post('verify', { token: await iam.mailedToken(email, 'verify') })
  return iam.login(email)
}

describe('where addresses must be verified', () => {
  test('nobody logs in before, and nobody without the password learns that', async () => {
    const email = 'new@example.org'
    expect((await post('register', { email, password })).status).toBe(201)
    expect(await login(email)).toMatchObject({ status: 403, body: { code: 'email_unverified' } })
    expect((await login(email, 'wrong password 77')).status).toBe(401)
    const token = await iam.mailedToken(email, 'verify')
    expect(iam.mailsTo(email)[0]).toContain(`https://millrace.example/verify?token=${token}`)
    const replies = await Promise.all([post('verify', { token }), post('verify', { token })])
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 422])
    const reply = await login(email)
    expect(reply.status).toBe(200)
    const me = await iam.api('GET', '/api/v1/auth/me', { token: reply.body.accessToken })
    expect(me.body.user.emailVerified).toBe(true)
  })

  test('the first administrator needs no mail', async () => {
    expect((await iam.admin()).token).toBeTruthy()
  })

  test('a session from before is not refreshed', async () => {
    const { refreshToken } = await verifiedUser('before@example.org')
    await iam.pool.query(`update users set email_verified_at = null where email = 'before@example.org'`)
    expect(await post('refresh', { refreshToken })).toMatchObject({ status: 403, body: { code: 'email_unverified' } })
  })

  test('another mail is sent for the asking, five in an hour, and only to who waits for one', async () => {
    const email = 'again@example.org'
    await post('register', { email, password })
    for (let i = 0; i < 7; i++) expect((await post('verify', { email })).status).toBe(202)
    expect((await post('verify', { email: 'nobody@example.org' })).status).toBe(202)
    const token = await iam.mailedToken(email, 'verify', 5)
    await waitFor(async () => (await iam.pool.query('select 1 from mail_jobs')).rows.length === 0)
    expect(iam.mailsTo(email)).toHaveLength(5)
    expect(iam.mailsTo('nobody@example.org')).toEqual([])
    expect((await post('verify', { token })).status).toBe(204)
    expect((await post('verify', { email })).status).toBe(202)
    await waitFor(async () => (await iam.pool.query('select 1 from mail_jobs')).rows.length === 0)
    expect(iam.mailsTo(email)).toHaveLength(5)
  })
})

describe('a forgotten password', () => {
  test('is replaced by whoever has the mailbox, once, and every session ends', async () => {
    const email = 'forgetful@example.org'
    const { token: access, refreshToken } = await verifiedUser(email)
    expect(await post('password/forgot', { email: ` ${email.toUpperCase()} ` })).toMatchObject({ status: 202 })
    const token = await iam.mailedToken(email, 'reset')
    const reset = (secret: string) => post('password/reset', { token, new: secret })
    expect(await reset('short')).toMatchObject({ status: 422, body: { code: 'weak_password' } })
    expect(await reset(email)).toMatchObject({ status: 422, body: { code: 'weak_password' } })
    const replies = await Promise.all([reset(fresh), reset(fresh)])
    expect(replies.map(({ status }) => status).sort()).toEqual([204, 422])
    expect(await reset(fresh)).toMatchObject(bad)
    expect((await iam.api('GET', '/api/v1/auth/me', { token: access })).status).toBe(401)
    expect((await post('refresh', { refreshToken })).status).toBe(401)
    expect((await login(email)).status).toBe(401)
    expect((await login(email, fresh)).status).toBe(200)
  })

  test('of nobody, or of somebody disabled, brings the same answer and no mail', async () => {
    const email = 'disabled@example.org'
    await verifiedUser(email)
    await iam.pool.query('update users set disabled = true where email = $1', [email])
    for (const address of [email, 'ghost@example.org', 'no address']) {
      expect(await post('password/forgot', { email: address })).toMatchObject({ status: 202, body: undefined })
    }
    await waitFor(async () => (await iam.pool.query('select 1 from mail_jobs')).rows.length === 0)
    expect(iam.mailsTo('ghost@example.org')).toEqual([])
    expect(iam.mailsTo(email).filter((raw) => raw.includes('/reset?token='))).toEqual([])
  })

  test('needs a token of its own kind that has not expired', async () => {
    const email = 'kinds@example.org'
    await post('register', { email, password })
    const verify = await iam.mailedToken(email, 'verify')
    expect(await post('password/reset', { token: verify, new: fresh })).toMatchObject(bad)
    await post('password/forgot', { email })
    const token = await iam.mailedToken(email, 'reset')
    expect(await post('verify', { token })).toMatchObject(bad)
    await iam.pool.query('update one_time_tokens set expires_at = now()')
    expect(await post('password/reset', { token, new: fresh })).toMatchObject(bad)
    expect(await post('verify', { token: verify })).toMatchObject(bad)
    for (const made of ['', 'x', 'A'.repeat(32)]) {
      expect(await post('password/reset', { token: made, new: fresh })).toMatchObject(bad)
      expect(await post('verify', { token: made })).toMatchObject(bad)
    }
  })

  test('leaves no token in the database', async () => {
    await verifiedUser('stored@example.org')
    await post('password/forgot', { email: 'stored@example.org' })
    const token = await iam.mailedToken('stored@example.org', 'reset')
    for (const table of ['one_time_tokens', 'mail_jobs', 'events.log', 'audit']) {
      const { rows } = await iam.pool.query(`select row_to_json(t)::text as row from ${table} t`)
      expect(JSON.stringify(rows)).not.toContain(token)
    }
  })
})

test('a password may not equal the address', async () => {
  for (const secret of ['somebody-long@example.org', 'SOMEBODY-LONG@example.org', 'somebody-long']) {
    expect(await post('register', { email: 'somebody-long@example.org', password: secret })).toMatchObject({
      status: 422,
      body: { code: 'weak_password', errors: [{ code: 'address' }] },
    })
  }
})
