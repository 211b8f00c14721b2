import { type iam, iamServiceDefinition } from '@millrace/contracts'
import { type CallContext, createGrpcServer, type GrpcServer } from '@millrace/grpc'
import { testIdentityAuthority, testLogger, testService } from '@millrace/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createIamClient, type IamClient } from '../src/index.js'

const authority = testIdentityAuthority()
const good = { valid: true, subject: 'key:1', projectId: 'p', project: 'test', role: 'worker' }
const answers: Record<string, iam.ValidateTokenResponse> = {
  key: { ...good, expiresAt: '2100-01-01T00:00:00.000Z' },
  forever: { ...good, userId: 'u', admin: true },
  odd: { ...good, role: 'emperor' },
}
let server: GrpcServer
let client: IamClient
let asked: iam.ValidateTokenRequest__Output[]
let askers: (string | undefined)[]

beforeAll(async () => {
  asked = []
  askers = []
  server = createGrpcServer({
    service: 'iam',
    logger: testLogger,
    auth: { kind: 'internal', identity: testService('iam') },
    services: [
      {
        definition: iamServiceDefinition,
        handlers: {
          getJwks: async () => ({ jwksJson: JSON.stringify(authority.jwks) }),
          getSecrets: async () => ({}),
          findInvalidKeys: async () => ({}),
          getSubjectNames: async () => ({}),
          getQuotas: async () => ({}),
          getUsage: async () => ({}),
          useMails: async () => ({ allowed: false, retryAfterSeconds: 60 }),
          openStream: async () => ({ allowed: false }),
          keepStreams: async () => ({}),
          reportStorage: async () => ({}),
          validateToken: async (request: iam.ValidateTokenRequest__Output, call: CallContext) => {
            asked.push(request)
            askers.push(call.service)
            return answers[request.token] ?? { valid: false, reason: 'revoked' }
          },
        },
      },
    ],
  })
  const address = `127.0.0.1:${await server.start('127.0.0.1', 0)}`
  client = createIamClient({ address, identity: testService('metadata'), logger: testLogger })
})

afterAll(async () => {
  client.close()
  await server.stop(0)
})

test('a credential becomes an identity, asked for once by the service that asks', async () => {
  const identity = { subject: 'key:1', projectId: 'p', project: 'test', role: 'worker', admin: false }
  expect(await client.validateToken('bearer  key', 'test')).toEqual({ ...identity, expiresAt: 4_102_444_800 })
  await client.validateToken('bearer  key', 'test')
  expect([asked, askers]).toEqual([[{ token: 'key', project: 'test' }], ['metadata']])
  const forever = await client.validateToken('Bearer forever')
  expect(forever).toEqual({ ...identity, userId: 'u', admin: true, expiresAt: Number.MAX_SAFE_INTEGER })
})

test.each([
  ['refused', 'gone', /not valid: revoked\./],
  ['of a role that nobody knows', 'odd', /not valid\./],
])('a credential that is %s is nobody', async (_case, token, message) => {
  await expect(client.validateToken(`Bearer ${token}`)).rejects.toMatchObject({
    code: 'unauthenticated',
    reason: 'invalid_token',
    message: expect.stringMatching(message),
  })
})

test('a signed identity is checked by the keys that iam gives', async () => {
  const request = { service: 'workflow', method: 'GET', target: '/api/v1/runs' }
  const header = authority.identityHeader({ projectId: 'p' }, request)
  expect(await client.verifier.verify(header, request)).toMatchObject({ projectId: 'p' })
  const stranger = testIdentityAuthority().identityHeader({}, request)
  await expect(client.verifier.verify(stranger, request)).rejects.toMatchObject({ code: 'unauthenticated' })
})
