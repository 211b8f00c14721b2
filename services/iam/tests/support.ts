import { randomBytes } from 'node:crypto'
import { authorizationDefinition, iamServiceDefinition } from '@millrace/contracts'
import { createPostgresEventBus } from '@millrace/events'
import { createGrpcClient } from '@millrace/grpc'
import { smtpSink, type TestDatabase, testDatabase, testLogger, testService, waitFor } from '@millrace/testkit'
import pg from 'pg'
import { type AdminCredentials, createIamService, type IamConfig, iamDefaults } from '../src/index.js'

export const password = 'a long enough passphrase 7'

export interface Call {
  token?: string | undefined
  project?: string
  body?: unknown
  headers?: Record<string, string>
}

export interface Reply {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into bodies of many shapes
  body: any
}

export function baseConfig(databaseUrl: string): IamConfig {
  return {
    ...iamDefaults,
    login: { ...iamDefaults.login, maxDelayMs: 0 },
    databaseUrl,
    http: { host: '127.0.0.1', port: 0 },
    grpc: { host: '127.0.0.1', port: 0 },
    identity: testService('iam'),
    mail: { directory: '/nonexistent' },
    masterKey: randomBytes(32),
    admin: { email: 'admin@millrace.local', password: undefined },
    password: { memoryKib: 64, passes: 1 },
    logLevel: 'silent',
  }
}

const jsonOf = (text: string): unknown => (text === '' ? undefined : JSON.parse(text))

async function send(url: string, method: string, call: Call, headers: Record<string, string>): Promise<Reply> {
  const raw = typeof call.body === 'string'
  const response = await fetch(url, {
    method,
    headers: { ...(call.body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(call.body === undefined ? {} : { body: raw ? (call.body as string) : JSON.stringify(call.body) }),
  })
  return { status: response.status, headers: response.headers, body: jsonOf(await response.text()) }
}

export async function startIam(change: Partial<IamConfig> = {}, given?: TestDatabase) {
  const database = given ?? (await testDatabase())
  const sink = await smtpSink()
  const config = { ...baseConfig(database.url), mail: { smtpUrl: sink.url }, ...change }
  const admins: AdminCredentials[] = []
  const bus = createPostgresEventBus({ connectionString: database.url, logger: testLogger })
  const service = createIamService(config, {
    logger: testLogger,
    bus,
    onAdminCreated: (admin) => void admins.push(admin),
  })
  await service.start()
  const address = `127.0.0.1:${service.grpcPort}`
  const authorization = createGrpcClient(authorizationDefinition, address)
  const iam = createGrpcClient(iamServiceDefinition, address, {
    serviceToken: () => testService('scheduler').tokenFor('iam'),
  })
  const base = `http://127.0.0.1:${service.httpPort}`
  const pool = new pg.Pool({ connectionString: database.url, options: '-c search_path=iam', max: 2 })
  // A database that is dropped ends its connections while they close.
  pool.on('error', () => undefined)

  function ask(method: string, path: string, headers: Record<string, string>) {
    return authorization.check({ attributes: { request: { http: { id: 'r-1', method, path, headers } } } })
  }

  /** What the gateway does: ask, then either answer the refusal or pass on with the headers changed as told. */
  async function api(method: string, path: string, call: Call = {}): Promise<Reply> {
    const headers: Record<string, string> = { 'x-request-id': 'test-request', ...call.headers }
    if (call.token !== undefined) headers.authorization = `Bearer ${call.token}`
    if (call.project !== undefined) headers['x-millrace-project'] = call.project
    const answer = await ask(method, path, headers)
    if (answer.deniedResponse) {
      const { status, headers: told, body } = answer.deniedResponse
      const pairs = told.map(({ header }) => [header?.key ?? '', header?.value ?? ''] as [string, string])
      return { status: status?.code ?? 0, headers: new Headers(pairs), body: jsonOf(body) }
    }
    if (!answer.okResponse || answer.status?.code !== 0) throw new Error('an answer that is neither yes nor no')
    for (const name of answer.okResponse.headersToRemove) delete headers[name]
    for (const { header } of answer.okResponse.headers) headers[header?.key ?? ''] = header?.value ?? ''
    return send(`${base}${path}`, method, call, headers)
  }

  let users = 0
  async function newUser(email = `user${++users}-${randomBytes(3).toString('hex')}@example.org`) {
    const registered = await api('POST', '/api/v1/auth/register', { body: { email, password } })
    if (registered.status !== 201) throw new Error(`not registered: ${JSON.stringify(registered.body)}`)
    const tokens = await login(email)
    return { email, id: registered.body.user.id as string, project: registered.body.project, ...tokens }
  }

  async function login(email: string, secret = password) {
    const { status, body } = await api('POST', '/api/v1/auth/login', { body: { email, password: secret } })
    if (status !== 200) throw new Error(`not logged in: ${JSON.stringify(body)}`)
    return { token: body.accessToken as string, refreshToken: body.refreshToken as string }
  }

  async function admin() {
    return login(config.admin.email, admins[0]?.generatedPassword)
  }

  /** Makes a member as the platform's administrator may: without an invitation. */
  async function join(slug: string, userId: string, role: string): Promise<void> {
    const { token } = await admin()
    const { status, body } = await api('PUT', `/api/v1/projects/${slug}/members`, { token, body: { userId, role } })
    if (status !== 200) throw new Error(`not joined: ${JSON.stringify(body)}`)
  }

  const mailsTo = (address: string) => sink.mails.filter(({ to }) => to.includes(address)).map(({ raw }) => raw)

  /** The token of the newest link of this kind in the mails to an address, once there are `count` of them. */
  function mailedToken(address: string, kind: 'reset' | 'verify' | 'invitations', count = 1): Promise<string> {
    const link = new RegExp(`^http\\S+/${kind}(?:/|\\?token=)([A-Za-z0-9_-]{32})\\r?$`, 'm')
    const tokens = () => mailsTo(address).flatMap((raw) => link.exec(raw)?.[1] ?? [])
    return waitFor(() => (tokens().length >= count ? tokens().at(-1) : undefined), {
      what: `mail ${count} to ${address}`,
    })
  }

  async function stop(drop = true): Promise<void> {
    authorization.close()
    iam.close()
    await service.stop()
    await bus.close()
    await pool.end()
    await sink.close()
    if (drop) await database.drop()
  }

  const people = { newUser, login, admin, join }
  return {
    service,
    config,
    database,
    admins,
    base,
    pool,
    iam,
    ask,
    api,
    ...people,
    sink,
    mailsTo,
    mailedToken,
    stop,
    send,
  }
}

export type Iam = Awaited<ReturnType<typeof startIam>>
