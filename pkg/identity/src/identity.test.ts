import { generateKeyPairSync } from 'node:crypto'
import { AppError } from '@millrace/errors'
import jwt from 'jsonwebtoken'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Identity, IdentityVerifier, jwkOf, memberRoles, roleAllows, signIdentity } from './index.js'

function keyPair(kid: string) {
  const pair = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return { key: { kid, privateKeyPem: pair.privateKey }, jwk: jwkOf(pair.publicKey, kid), publicPem: pair.publicKey }
}

const identity = (): Identity => ({
  subject: 'user:u1',
  userId: 'u1',
  email: 'a@b.c',
  sessionId: 's1',
  projectId: 'p1',
  project: 'one',
  role: 'editor',
  admin: false,
  expiresAt: Math.floor(Date.now() / 1000) + 900,
})

const request = { service: 'workflow', method: 'POST', target: '/api/v1/workflows/a/runs?x=1' }

afterEach(() => vi.useRealTimers())

test.each([
  ['viewer', [true, false, false, false]],
  ['operator', [true, true, false, false]],
  ['editor', [true, true, true, false]],
  ['owner', [true, true, true, true]],
  ['worker', [false, false, false, false]],
] as const)('%s allows %s of viewer, operator, editor, owner', (role, allowed) => {
  expect(memberRoles.map((needed) => roleAllows(role, needed))).toEqual(allowed)
})

describe('a signed identity', () => {
  const { key, jwk, publicPem } = keyPair('k1')
  const verifier = () => new IdentityVerifier(async () => ({ keys: [jwk] }))

  test('comes back as it was, with the token’s own end', async () => {
    const sent = identity()
    const got = await verifier().verify(signIdentity(sent, key, request), request)
    expect(got).toEqual({ ...sent, expiresAt: got.expiresAt })
    expect(got.expiresAt - Date.now() / 1000).toBeLessThanOrEqual(60)
  })

  test('never outlives its credential', async () => {
    const expiresAt = Math.floor(Date.now() / 1000) + 5
    expect((await verifier().verify(signIdentity({ ...identity(), expiresAt }, key, request), request)).expiresAt).toBe(
      expiresAt,
    )
  })

  test('is refused once it expired', async () => {
    vi.useFakeTimers()
    const token = signIdentity(identity(), key, request)
    const one = verifier()
    await one.verify(token, request)
    vi.advanceTimersByTime(61_000)
    await expect(one.verify(token, request)).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(verifier().verify(token, request)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  const claims = () => jwt.decode(signIdentity(identity(), key, request)) as jwt.JwtPayload
  const signed = (change: object, secret: string = key.privateKeyPem, algorithm: jwt.Algorithm = 'ES256') =>
    jwt.sign({ ...claims(), ...change }, secret, { algorithm, keyid: 'k1' })

  test.each([
    ['nothing', () => ''],
    ['a word', () => 'hello'],
    ['a huge text', () => 'a.'.repeat(100_000)],
    ['another key under the same kid', () => signIdentity(identity(), { ...keyPair('k1').key, kid: 'k1' }, request)],
    ['no signature', () => jwt.sign(claims(), '', { algorithm: 'none', keyid: 'k1' })],
    ['the public key used as a shared secret', () => signed({}, publicPem, 'HS256')],
    ['another audience', () => signed({ aud: 'elsewhere' })],
    ['another issuer', () => signed({ iss: 'elsewhere' })],
    ['a role that does not exist', () => signed({ role: 'god' })],
    ['admin as text', () => signed({ adm: 'true' })],
    ['no project', () => signed({ pid: undefined })],
  ])('is refused: %s', async (_name, token) => {
    await expect(verifier().verify(token(), request)).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})

describe('a signed identity is good for one request', () => {
  const { key, jwk } = keyPair('k1')
  const read = { service: 'workflow', method: 'GET', target: '/api/v1/runs' }
  const verifier = () => new IdentityVerifier(async () => ({ keys: [jwk] }))

  test.each([
    ['another service', { ...request, service: 'artifact' }],
    ['another method', { ...request, method: 'PUT' }],
    ['another path', { ...request, target: '/api/v1/workflows/b/runs?x=1' }],
    ['another query', { ...request, target: '/api/v1/workflows/a/runs?x=2' }],
    ['no query', { ...request, target: '/api/v1/workflows/a/runs' }],
    ['another case', { ...request, target: '/api/v1/workflows/A/runs?x=1' }],
    ['what stands between method and path', { ...request, method: 'POST /api', target: '/v1/workflows/a/runs?x=1' }],
  ])('not for %s', async (_name, other) => {
    await expect(verifier().verify(signIdentity(identity(), key, request), other)).rejects.toMatchObject({
      code: 'unauthenticated',
    })
  })

  test('a write is taken once', async () => {
    const one = verifier()
    const token = signIdentity(identity(), key, request)
    await one.verify(token, request)
    await expect(one.verify(token, request)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('a read is taken twice, since gateways ask once more when a connection ended', async () => {
    const one = verifier()
    const token = signIdentity(identity(), key, read)
    await one.verify(token, read)
    await one.verify(token, read)
    await expect(one.verify(token, read)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('an attempt at another request does not use it up', async () => {
    const one = verifier()
    const token = signIdentity(identity(), key, request)
    await expect(one.verify(token, read)).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(await one.verify(token, request)).toMatchObject({ subject: 'user:u1' })
  })
})

describe('the keys', () => {
  test('are fetched once for many callers', async () => {
    const { key, jwk } = keyPair('k1')
    const fetch = vi.fn(async () => ({ keys: [jwk] }))
    const verifier = new IdentityVerifier(fetch)
    const tokens = Array.from({ length: 20 }, (_, i) =>
      signIdentity({ ...identity(), projectId: String(i) }, key, request),
    )
    await Promise.all(tokens.map((token) => verifier.verify(token, request)))
    expect(fetch).toHaveBeenCalledTimes(1)
  })

  test('are fetched again for an unknown kid, at most every five seconds', async () => {
    vi.useFakeTimers()
    const old = keyPair('old')
    const fresh = keyPair('new')
    const document = { keys: [old.jwk] }
    const fetch = vi.fn(async () => document)
    const verifier = new IdentityVerifier(fetch)
    await verifier.verify(signIdentity(identity(), old.key, request), request)
    document.keys.push(fresh.jwk)
    await expect(verifier.verify(signIdentity(identity(), fresh.key, request), request)).rejects.toBeInstanceOf(
      AppError,
    )
    expect(fetch).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(5001)
    await verifier.verify(signIdentity(identity(), fresh.key, request), request)
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  test('that cannot be fetched make the service unavailable, not the caller a stranger', async () => {
    vi.useFakeTimers()
    const { key, jwk } = keyPair('k1')
    let down = true
    const verifier = new IdentityVerifier(async () => {
      if (down) throw new Error('ECONNREFUSED')
      return { keys: [jwk] }
    })
    await expect(verifier.verify(signIdentity(identity(), key, request), request)).rejects.toMatchObject({
      code: 'unavailable',
    })
    down = false
    vi.advanceTimersByTime(251)
    expect(await verifier.verify(signIdentity(identity(), key, request), request)).toMatchObject({ subject: 'user:u1' })
  })

  test('of another kind are ignored', async () => {
    const { key, jwk } = keyPair('k1')
    const odd = { kty: 'oct', k: 'c2VjcmV0', kid: 'sym' } as never
    const verifier = new IdentityVerifier(async () => ({ keys: [odd, jwk] }))
    expect(await verifier.verify(signIdentity(identity(), key, request), request)).toBeDefined()
    const forged = jwt.sign({ sub: 'user:x' }, 'secret', { algorithm: 'HS256', keyid: 'sym' })
    await expect(verifier.verify(forged, request)).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})
