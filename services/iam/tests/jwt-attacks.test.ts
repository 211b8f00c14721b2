import { IDENTITY_HEADER } from '@millrace/identity'
import { testLogger } from '@millrace/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KeyRing } from '../src/security/key-ring.js'
import { jwtAttacks, type Stolen } from './jwt-attacks.js'
import { type Iam, startIam } from './support.js'

let iam: Iam
let keys: KeyRing
let stolen: Stolen
const me = '/api/v1/auth/me'
const attacks = Object.entries(jwtAttacks)

beforeAll(async () => {
  iam = await startIam()
  const times = { rotationMs: 86_400_000, leadMs: 0, reloadMs: 60_000, outliveMs: 86_400_000 }
  keys = new KeyRing({ pool: iam.pool, masterKeys: [iam.config.masterKey], logger: testLogger, ...times })
  await keys.start()
  const { token, refreshToken } = await iam.newUser()
  const { kid, privateKeyPem } = keys.signingKey
  const publicJwk = keys.jwks.keys.find((each) => each.kid === kid)
  if (!publicJwk) throw new Error('the signing key is not published')
  stolen = { token, refreshToken, kid, privateKeyPem, publicJwk, identity: await identityOf(token) }
})
afterAll(async () => {
  await keys?.stop()
  await iam?.stop()
})

async function identityOf(token: string): Promise<string> {
  const answer = await iam.ask('GET', me, { authorization: `Bearer ${token}` })
  return answer.okResponse?.headers.find(({ header }) => header?.key === IDENTITY_HEADER)?.header?.value ?? ''
}

test('there are at least forty attacks', () => {
  expect(attacks.length).toBeGreaterThanOrEqual(40)
})

test('the token that they change is a good one', async () => {
  expect((await iam.api('GET', me, { token: stolen.token })).status).toBe(200)
})

test.each(attacks)('as an access token: %s', async (_name, forge) => {
  const answer = await iam.ask('GET', me, { authorization: `Bearer ${forge(stolen)}` })
  expect(answer.okResponse ?? undefined).toBeUndefined()
  expect(answer.deniedResponse?.status?.code).toBe(401)
})

/**
 * The same changes of a signed identity, shown to a service directly; without those that are none there: only iam's own
 * key could make them, and the audience of a service is the right one. Each has an id of its own, so that none is refused
 * as a repetition.
 */
test.each(
  attacks.filter(
    ([name]) =>
      !/line break|signed identity|audience of a service|a session that|a user that is not|a subject given twice/.test(
        name,
      ),
  ),
)('as a signed identity: %s', async (_name, forge) => {
  const forged = forge({ ...stolen, token: stolen.identity })
  const direct = await iam.send(`${iam.base}${me}`, 'GET', {}, { [IDENTITY_HEADER]: forged })
  expect([401, 431]).toContain(direct.status)
})

test('an access token is no identity', async () => {
  const direct = await iam.send(`${iam.base}${me}`, 'GET', {}, { [IDENTITY_HEADER]: stolen.token })
  expect(direct.status).toBe(401)
})
