import { IDENTITY_HEADER, IdentityVerifier } from '@millrace/identity'
import { waitFor } from '@millrace/testkit'
import jwt from 'jsonwebtoken'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Iam, startIam } from './support.js'

let iam: Iam
let second: Iam
beforeAll(async () => {
  // Longer than the five seconds in which a verifier does not ask for keys again.
  const signingKeys = { rotationMs: 86_400_000, leadMs: 6000, reloadMs: 100 }
  iam = await startIam({ signingKeys })
  second = await startIam({ signingKeys, masterKey: iam.config.masterKey }, iam.database)
})
afterAll(async () => {
  await second.stop(false)
  await iam.stop()
})

const kidOf = (token: string) => jwt.decode(token, { complete: true })?.header.kid
const kids = async (at: Iam) => {
  const { body } = await at.api('GET', '/.well-known/jwks.json')
  return body.keys.map(({ kid }: { kid: string }) => kid)
}

test('a key is replaced on command: known to every replica before it signs, and the old tokens stay good', async () => {
  const user = await iam.newUser()
  const before = kidOf(user.token)
  const { token: admin } = await iam.admin()
  expect((await iam.api('POST', '/api/v1/signing-keys', { token: user.token })).status).toBe(403)
  const rotated = await iam.api('POST', '/api/v1/signing-keys', { token: admin })
  expect(rotated.status).toBe(201)
  const { kid, activeFrom } = rotated.body
  expect(kid).not.toBe(before)
  expect(await kids(iam)).toEqual([kid, before])
  await waitFor(async () => (await kids(second)).includes(kid))
  expect((await iam.api('POST', '/api/v1/signing-keys', { token: admin })).body.code).toBe('rotation_in_progress')
  const renewed = await waitFor(
    async () => {
      const { token } = await second.login(user.email)
      return kidOf(token) === kid ? token : undefined
    },
    { timeoutMs: 30_000, intervalMs: 250 },
  )
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(activeFrom) - 1000)
  for (const replica of [iam, second]) {
    for (const token of [user.token, renewed]) {
      expect((await replica.api('GET', '/api/v1/auth/me', { token })).status).toBe(200)
    }
  }
  // Identities too: a service that knows the published keys needs nothing else.
  const verifier = new IdentityVerifier(async () => (await iam.api('GET', '/.well-known/jwks.json')).body)
  const asked = await iam.ask('GET', '/api/v1/runs', { authorization: `Bearer ${user.token}` })
  const signed = asked.okResponse?.headers.find(({ header }) => header?.key === IDENTITY_HEADER)?.header?.value ?? ''
  expect(kidOf(signed)).toBe(kid)
  const request = { service: 'workflow', method: 'GET', target: '/api/v1/runs' }
  expect((await verifier.verify(signed, request)).userId).toBe(user.id)
  const log = await waitFor(async () => {
    const { body } = await iam.api('GET', '/api/v1/audit?allProjects=true&action=signing_key.created', { token: admin })
    return body.items.find(({ target }: { target: string }) => target === kid)
  })
  expect(log).toMatchObject({ outcome: 'success', actor: expect.stringMatching(/^user:/) })
}, 90_000)
