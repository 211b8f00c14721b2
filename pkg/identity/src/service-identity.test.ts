import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import jwt from 'jsonwebtoken'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  formatTrustedServices,
  generateServiceKeyPair,
  generateServiceKeySet,
  type IdentityVerifier,
  orService,
  parseServicePrivateKey,
  SERVICE_TOKEN_TYPE,
  ServiceIdentity,
} from './index.js'

const keys = generateServiceKeySet()
const identity = (name: keyof typeof keys) => ServiceIdentity.fromKeySet(name, keys)
const iam = identity('iam')
const refused = expect.objectContaining({ code: 'unauthenticated', reason: 'invalid_service_token' })

afterEach(() => vi.useRealTimers())

describe('a service token', () => {
  test('names its service and is reused for a while', () => {
    const scheduler = identity('scheduler')
    const token = scheduler.tokenFor('iam')
    expect(iam.verify(token)).toBe('scheduler')
    expect(scheduler.tokenFor('iam')).toBe(token)
    expect(scheduler.tokenFor('workflow')).not.toBe(token)
  })

  test('is good for its recipient alone', () => {
    const token = identity('scheduler').tokenFor('workflow')
    expect(identity('workflow').verify(token)).toBe('scheduler')
    expect(() => iam.verify(token)).toThrow(refused)
  })

  test('ends, also for a recipient that has seen it', () => {
    vi.useFakeTimers()
    const scheduler = identity('scheduler')
    const token = scheduler.tokenFor('iam')
    iam.verify(token)
    vi.advanceTimersByTime(61_000)
    expect(() => iam.verify(token)).toThrow(refused)
    expect(iam.verify(scheduler.tokenFor('iam'))).toBe('scheduler')
  })

  const header = { alg: 'ES256', typ: SERVICE_TOKEN_TYPE }
  const forge = (key: KeyObject | string, options: jwt.SignOptions, claims = {}) =>
    jwt.sign(claims, key, {
      ...{ issuer: 'scheduler', audience: 'iam', expiresIn: 60, header, algorithm: 'ES256' },
      ...options,
    })
  const workerKey = parseServicePrivateKey(keys.worker.privateKey)
  const schedulerKey = parseServicePrivateKey(keys.scheduler.privateKey)
  const now = () => Math.floor(Date.now() / 1000)

  test.each([
    ['nothing', () => ''],
    ['a word', () => 'hello'],
    ['a huge text', () => 'a.'.repeat(100_000)],
    ['the worker’s key under the scheduler’s name', () => forge(workerKey, {})],
    ['a stranger’s key', () => forge(parseServicePrivateKey(generateServiceKeyPair().privateKey), {})],
    ['a name that is no service’s', () => forge(schedulerKey, { issuer: 'gateway' })],
    ['a name of the prototype', () => forge(schedulerKey, { issuer: 'constructor' })],
    ['no signature', () => forge('', { algorithm: 'none', header: { ...header, alg: 'none' } })],
    [
      'the public key used as a shared secret',
      () => forge(keys.scheduler.publicKey, { algorithm: 'HS256', header: { ...header, alg: 'HS256' } }),
    ],
    ['another type', () => forge(schedulerKey, { header: { alg: 'ES256', typ: 'JWT' } })],
    ['a life of its own choosing', () => forge(schedulerKey, { expiresIn: 3600 }, { iat: now() - 61 })],
    [
      'no end',
      () =>
        jwt.sign({}, schedulerKey, {
          issuer: 'scheduler',
          audience: 'iam',
          header,
          algorithm: 'ES256',
          noTimestamp: true,
        }),
    ],
  ])('is refused: %s', (_name, token) => {
    expect(() => iam.verify(token())).toThrow(refused)
  })
})

describe('keys', () => {
  test('may be replaced while the old one still counts', () => {
    const next = generateServiceKeyPair()
    const trusted = `${formatTrustedServices(keys)},scheduler=${next.publicKey}`
    const recipient = ServiceIdentity.parse('iam', keys.iam.privateKey, trusted)
    for (const { privateKey } of [keys.scheduler, next]) {
      expect(recipient.verify(ServiceIdentity.parse('scheduler', privateKey, trusted).tokenFor('iam'))).toBe(
        'scheduler',
      )
    }
  })

  test('are taken as PEM too', () => {
    const pem = parseServicePrivateKey(keys.iam.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString()
    expect(parseServicePrivateKey(pem).equals(parseServicePrivateKey(keys.iam.privateKey))).toBe(true)
  })

  test('of another kind, of another name or of nobody are refused', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey
    const other = rsa.export({ type: 'spki', format: 'der' }).toString('base64')
    const all = formatTrustedServices(keys)
    const parse = (privateKey: string, trusted: string) => () => ServiceIdentity.parse('iam', privateKey, trusted)
    expect(parse(keys.iam.privateKey, `${all},iam=${other}`)).toThrow('P-256')
    expect(parse(keys.iam.privateKey, `${all},somebody=${keys.iam.publicKey}`)).toThrow('name of a service')
    expect(parse(keys.scheduler.privateKey, all)).toThrow('does not belong')
    expect(parse('not a key', all)).toThrow('base64')
  })
})

describe('a listener for users and some services', () => {
  const user = { subject: 'user:u1' }
  const users = { verify: async () => user } as unknown as Pick<IdentityVerifier, 'verify'>
  const request = { service: 'artifact', method: 'GET', target: '/' }
  const artifact = orService(users, identity('artifact'), ['worker'])

  test('takes the services it names and asks about everybody else', async () => {
    const worker = identity('worker').tokenFor('artifact')
    expect(await artifact.verify(worker, request)).toMatchObject({
      subject: 'service:worker',
      role: 'worker',
      admin: false,
    })
    expect(await artifact.verify(identity('metadata').tokenFor('artifact'), request)).toBe(user)
    expect(await artifact.verify('a user’s', request)).toBe(user)
  })
})
