import { createHash } from 'node:crypto'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Iam, password, startIam } from './support.js'

let iam: Iam
beforeAll(async () => {
  iam = await startIam({ login: { perAccount: 10, accountWindowMs: 900_000, perAddress: 30, addressWindowMs: 60_000 } })
})
afterAll(() => iam.stop())

const login = (email: string, secret: string, ip: string) =>
  iam.api('POST', '/api/v1/auth/login', {
    body: { email, password: secret },
    headers: { 'x-forwarded-for': ip },
  })

test('after ten failures an account is closed to everyone, also with the right password, and says for how long', async () => {
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
      `insert into login_failures (account, address) select $1, '10.5.0.1' from generate_series(1, 10)`,
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
