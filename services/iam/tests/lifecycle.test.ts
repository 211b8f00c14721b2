import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { iamServiceDefinition } from '@millrace/contracts'
import { createGrpcClient } from '@millrace/grpc'
import { testDatabase, testLogger, waitFor } from '@millrace/testkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createIamService, MasterKeyError } from '../src/index.js'
import { baseConfig, type Iam, password, startIam } from './support.js'

async function started(...args: Parameters<typeof startIam>): Promise<Iam> {
  const iam = await startIam(...args)
  onTestFinished(() => iam.stop())
  return iam
}

describe('the first administrator', () => {
  test('is told once, can log in, and has a project; a restart tells and changes nothing', async () => {
    const database = await testDatabase()
    const masterKey = randomBytes(32)
    const first = await startIam({ masterKey }, database)
    expect(first.admins).toHaveLength(1)
    expect(first.admins[0]).toMatchObject({ email: 'admin@millrace.local', generatedPassword: expect.any(String) })
    const generated = first.admins[0]?.generatedPassword ?? ''
    const { token } = await first.admin()
    const me = await first.api('GET', '/api/v1/auth/me', { token })
    expect(me.body).toMatchObject({ user: { admin: true }, projects: [{ slug: 'admin', role: 'owner' }] })
    await first.stop(false)
    const admin = { email: 'other@millrace.local', password: 'a completely other one 3' }
    const second = await started({ masterKey, admin }, database)
    expect(second.admins).toEqual([])
    await second.login('admin@millrace.local', generated)
    await expect(second.login(admin.email, admin.password)).rejects.toThrow('invalid_credentials')
    expect((await second.api('GET', '/api/v1/auth/me', { token })).status).toBe(200)
  })

  test('takes the password it is given, and does not repeat it', async () => {
    const iam = await started({ admin: { email: 'root@example.org', password } })
    expect(iam.admins).toEqual([{ email: 'root@example.org', generatedPassword: undefined }])
    await iam.login('root@example.org', password)
  })

  test('is made once by replicas that start together', async () => {
    const database = await testDatabase()
    const masterKey = randomBytes(32)
    const replicas = await Promise.all([1, 2, 3].map(() => startIam({ masterKey }, database)))
    onTestFinished(async () => {
      for (const replica of replicas) await replica.stop(false)
      await database.drop()
    })
    expect(replicas.flatMap(({ admins }) => admins)).toHaveLength(1)
    const [one, two] = replicas
    const { token } = (await one?.newUser()) ?? { token: '' }
    expect((await two?.api('GET', '/api/v1/auth/me', { token }))?.status).toBe(200)
  })

  test('is told before it exists: a failing printer leaves no account that nobody knows', async () => {
    const database = await testDatabase()
    onTestFinished(() => database.drop())
    const config = baseConfig(database.url)
    const deaf = createIamService(config, {
      logger: testLogger,
      onAdminCreated: () => {
        throw new Error('no one listens')
      },
    })
    await expect(deaf.start()).rejects.toThrow('no one listens')
    const again = await startIam({ masterKey: config.masterKey }, database)
    expect(again.admins).toHaveLength(1)
    await again.admin()
    await again.stop(false)
  })
})

describe('signing keys', () => {
  test('rotate: the new one is published before it signs, and old tokens stay good', async () => {
    const iam = await started({
      signingKeys: { rotationMs: 1500, leadMs: 500, reloadMs: 100 },
      tokens: { accessMs: 900_000, refreshMs: 900_000, sessionMs: 3_600_000 },
    })
    const kidOf = (token: string) =>
      JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid as string
    const kids = async () =>
      (await iam.api('GET', '/.well-known/jwks.json')).body.keys.map(({ kid }: { kid: string }) => kid) as string[]
    const user = await iam.newUser()
    const old = kidOf(user.token)
    const fresh = await waitFor(async () => (await kids()).find((kid) => kid !== old))
    const right = await iam.login(user.email)
    expect([old, fresh]).toContain(kidOf(right.token))
    const later = await waitFor(async () => {
      const { token } = await iam.login(user.email)
      return kidOf(token) !== old && token
    })
    expect(await kids()).toContain(old)
    for (const token of [user.token, later]) {
      expect((await iam.api('GET', '/api/v1/auth/me', { token })).status).toBe(200)
    }
  })

  test('are retired once nothing they signed can live', async () => {
    const iam = await started({ signingKeys: { rotationMs: 3_600_000, leadMs: 0, reloadMs: 50 } })
    const count = async () => (await iam.pool.query('select kid from signing_keys')).rowCount
    await iam.pool.query(
      `update signing_keys set created_at = now() - interval '3 hours', active_from = now() - interval '3 hours'`,
    )
    await iam.service.stop()
    const again = await startIam({ ...iam.config, masterKey: iam.config.masterKey }, iam.database)
    expect(await count()).toBe(2)
    await again.pool.query(`update signing_keys set active_from = active_from - interval '1 hour'`)
    await waitFor(async () => (await count()) === 1)
    await again.stop(false)
  })

  test('are sealed: the database holds no private key in the clear', async () => {
    const iam = await started()
    const { rows } = await iam.pool.query('select * from signing_keys')
    expect(rows[0].private_sealed.includes(Buffer.from('PRIVATE'))).toBe(false)
    expect(JSON.stringify(rows[0].public_pem)).toContain('PUBLIC')
  })

  test('do not open with another master key, and the start says so', async () => {
    const iam = await started()
    const config = { ...iam.config, masterKey: randomBytes(32) }
    const stranger = createIamService(config, { logger: testLogger })
    await expect(stranger.start()).rejects.toThrow(MasterKeyError)
    await expect(createIamService(config, { logger: testLogger }).start()).rejects.toThrow('MILLRACE_MASTER_KEY')
  })
})

describe('the internal listener', () => {
  test('validates tokens and keys, and says why not', async () => {
    const iam = await started()
    const user = await iam.newUser()
    const key = await iam.api('POST', '/api/v1/api-keys', { token: user.token, body: { name: 'k', role: 'worker' } })
    expect(await iam.iam.validateToken({ token: user.token })).toMatchObject({
      valid: true,
      userId: user.id,
      subject: `user:${user.id}`,
      project: user.project.slug,
      projectId: user.project.id,
      role: 'owner',
      admin: false,
      expiresAt: expect.stringMatching(/Z$/),
    })
    expect(await iam.iam.validateToken({ token: key.body.key })).toMatchObject({
      valid: true,
      role: 'worker',
      subject: `key:${key.body.id}`,
    })
    const reasonOf = async (token: string, project = '') => (await iam.iam.validateToken({ token, project })).reason
    expect(await reasonOf('')).toBe('malformed')
    expect(await reasonOf('rubbish')).toBe('malformed')
    expect(await reasonOf(`mr_${'A'.repeat(43)}`)).toBe('unknown')
    expect(await reasonOf(user.token, 'elsewhere')).toBe('no_project')
    await iam.api('DELETE', `/api/v1/api-keys/${key.body.id}`, { token: user.token })
    expect(await reasonOf(key.body.key)).toBe('revoked')
    const admin = await iam.admin()
    await iam.api('PATCH', `/api/v1/users/${user.id}`, { token: admin.token, body: { disabled: true } })
    expect(await reasonOf(user.token)).toBe('disabled')
  })

  test('gives the same keys as the public document, to services alone', async () => {
    const iam = await started()
    const { jwksJson } = await iam.iam.getJwks({})
    expect(JSON.parse(jwksJson)).toEqual((await iam.api('GET', '/.well-known/jwks.json')).body)
    const stranger = createGrpcClient(iamServiceDefinition, `127.0.0.1:${iam.service.grpcPort}`)
    onTestFinished(() => stranger.close())
    await expect(stranger.getJwks({})).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(stranger.validateToken({ token: 'x' })).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})

describe('starting and stopping', () => {
  test('health, readiness and metrics are served', async () => {
    const iam = await started()
    const get = async (path: string) => fetch(`${iam.base}${path}`)
    expect((await get('/healthz')).status).toBe(200)
    expect(await (await get('/readyz')).text()).toContain('postgres')
    expect(await (await get('/metrics')).text()).toContain('millrace_iam_checks_total')
  })

  test('a taken port is named, and nothing is left running', async () => {
    const database = await testDatabase()
    onTestFinished(() => database.drop())
    const blocker = createServer()
    const port = await new Promise<number>((resolve) => {
      blocker.listen(0, '127.0.0.1', () => resolve((blocker.address() as { port: number }).port))
    })
    onTestFinished(() => void blocker.close())
    const service = createIamService(
      { ...baseConfig(database.url), http: { host: '127.0.0.1', port } },
      { logger: testLogger },
    )
    await expect(service.start()).rejects.toThrow(String(port))
    await service.stop()
  })

  test('a database that is not there fails the start', async () => {
    const service = createIamService(baseConfig('postgres://nobody@127.0.0.1:1/none'), { logger: testLogger })
    await expect(service.start()).rejects.toThrow(/ECONNREFUSED/)
  })

  test('stopping lets a login in flight finish', async () => {
    const iam = await startIam({ password: { memoryKib: 65_536, passes: 4 } })
    const { email } = await iam.newUser()
    const login = iam.send(`${iam.base}/api/v1/auth/login`, 'POST', { body: { email, password } }, {})
    await new Promise((resolve) => setTimeout(resolve, 30))
    const [reply] = await Promise.all([login, iam.stop()])
    expect(reply.status).toBe(200)
  })
})
