import { createHash } from 'node:crypto'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { iamDefaults } from '../src/index.js'
import { type Iam, password, startIam } from './support.js'

let iam: Iam
beforeAll(async () => {
  iam = await startIam({ login: { ...iamDefaults.login, perAccountAnywhere: 25, perAddress: 30, maxDelayMs: 0 } })
})
afterAll(() => iam.stop())

const login = (email: string, secret: string, ip: string, cookie = '') =>
  iam.api('POST', '/api/v1/auth/login', {
    body: { email, password: secret },
    headers: { 'x-forwarded-for': ip, cookie },
  })

async function deviceCookieOf(email: string, ip: string): Promise<string> {
  const body = { email, password, session: 'cookie' }
  const reply = await iam.api('POST', '/api/v1/auth/login', { body, headers: { 'x-forwarded-for': ip } })
  const cookies = reply.headers.getSetCookie()
  return cookies.find((cookie) => cookie.startsWith('millrace_device='))?.split(';', 1)[0] ?? ''
}

test('ten wrong passwords from one network lock nobody out of any other', async () => {
  const { email } = await iam.newUser()
  for (let i = 0; i < 10; i++) expect((await login(email, 'wrong', `192.0.2.${i}`)).status).toBe(401)
  expect((await login(email, password, '192.0.2.77')).status).toBe(429)
  expect((await login(email, password, '192.0.3.1')).status).toBe(200)
  for (let i = 0; i < 10; i++) expect((await login(email, 'wrong', `2001:db8:0:1::${i}`)).status).toBe(401)
  expect((await login(email, password, '2001:db8:0:1:ffff::1')).status).toBe(429)
  expect((await login(email, password, '2001:db8:0:2::1')).status).toBe(200)
  // What the person did elsewhere does not give the guessers another ten.
  expect((await login(email, password, '192.0.2.77')).status).toBe(429)
})

test('many networks together close an account to strangers, but not to a device that it knows', async () => {
  const { email } = await iam.newUser()
  const known = await deviceCookieOf(email, '198.51.100.1')
  for (let i = 0; i < 25; i++) expect((await login(email, 'wrong', `10.20.${i}.1`)).status).toBe(401)
  expect((await login(email, password, '10.21.0.1')).status).toBe(429)
  expect((await login(email, password, '10.21.0.1', known)).status).toBe(200)
})

test('a known device has a counter of its own and no exemption, and is known for its own account only', async () => {
  const { email } = await iam.newUser()
  const known = await deviceCookieOf(email, '10.30.0.1')
  expect(known).toMatch(/^millrace_device=/)
  for (let i = 0; i < 10; i++) expect((await login(email, 'wrong', `10.31.${i}.1`, known)).status).toBe(401)
  expect((await login(email, password, '10.32.0.1', known)).status).toBe(429)
  expect((await login(email, password, '10.32.0.1')).status).toBe(200)
  const other = await iam.newUser()
  for (let i = 0; i < 10; i++) expect((await login(other.email, 'wrong', '10.33.0.1', known)).status).toBe(401)
  expect((await login(other.email, password, '10.33.0.1')).status).toBe(429)
  const forged = `${known.slice(0, -4)}AAAA`
  for (let i = 0; i < 10; i++) expect((await login(email, 'wrong', '10.34.0.1', forged)).status).toBe(401)
  expect((await login(email, password, '10.34.0.1')).status).toBe(429)
})

test('a row of failures makes refusals slower, by two seconds at most', async () => {
  const slow = await startIam({ login: { ...iamDefaults.login, maxDelayMs: 300 } })
  try {
    const { email } = await slow.newUser()
    const timed = async () => {
      const start = performance.now()
      await slow.api('POST', '/api/v1/auth/login', { body: { email, password: 'wrong' } })
      return performance.now() - start
    }
    for (let i = 0; i < 7; i++) await timed()
    expect(await timed()).toBeGreaterThanOrEqual(299)
    expect(iamDefaults.login.maxDelayMs).toBe(2000)
  } finally {
    await slow.stop()
  }
})

test('after ten failures a network is refused also with the right password, and told for how long', async () => {
  const { email } = await iam.newUser()
  for (let i = 0; i < 10; i++) expect((await login(email, 'wrong', `10.0.0.${i}`)).status).toBe(401)
  const limited = await login(email, password, '10.0.0.99')
  expect(limited).toMatchObject({ status: 429, body: { code: 'too_many_logins' } })
  const wait = Number(limited.headers.get('retry-after'))
  expect(wait).toBeGreaterThan(800)
  expect(wait).toBeLessThanOrEqual(900)
  await iam.pool.query(`update login_failures set at = at - interval '901 seconds'`)
  expect((await login(email, password, '10.0.0.99')).status).toBe(200)
})

test('an account that does not exist is closed the same way', async () => {
  for (let i = 0; i < 10; i++) expect((await login('ghost@example.org', 'x', `10.0.1.${i}`)).status).toBe(401)
  expect((await login('ghost@example.org', 'x', '10.0.1.99')).status).toBe(429)
})

test('a right password wipes the slate', async () => {
  const { email } = await iam.newUser()
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 9; i++) expect((await login(email, 'wrong', `10.0.2.${i}`)).status).toBe(401)
    expect((await login(email, password, '10.0.2.50')).status).toBe(200)
  }
})

test('an address is closed after its limit, whatever the accounts, and others are not', async () => {
  for (let i = 0; i < 30; i++) expect((await login(`nobody${i}@example.org`, 'x', '10.9.9.9')).status).toBe(401)
  const limited = await login('someone-else@example.org', 'x', '10.9.9.9')
  expect(limited.status).toBe(429)
  expect(Number(limited.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  expect((await login('someone-else@example.org', 'x', '10.9.9.8')).status).toBe(401)
})

test('of many guesses at once, one that ends after the limit was reached does not learn that it was right', async () => {
  const slow = await startIam({ password: { memoryKib: 131_072, passes: 4 } })
  try {
    const { email } = await slow.newUser()
    const right = slow.api('POST', '/api/v1/auth/login', { body: { email, password } })
    await waitFor(async () => {
      const { rows } = await slow.pool.query(
        `select 1 from pg_stat_activity where query like '%from users where email = $1%' and application_name = 'millrace-iam' and state = 'idle' and state_change > now() - interval '1 second' and datname = current_database()`,
      )
      return rows.length > 0
    })
    // What other callers' wrong guesses leave while this one is still being hashed.
    await slow.pool.query(
      `insert into login_failures (account, address, network) select $1, '10.5.0.1', '127.0.0.0/24' from generate_series(1, 10)`,
      [createHash('sha256').update(email).digest()],
    )
    expect((await right).status).toBe(429)
  } finally {
    await slow.stop()
  }
})

test('right passwords at once are not mistaken for an attack', async () => {
  const { email } = await iam.newUser()
  const replies = await Promise.all(Array.from({ length: 25 }, (_, i) => login(email, password, `10.4.0.${i}`)))
  expect(replies.map(({ status }) => status)).toEqual(Array(25).fill(200))
})
