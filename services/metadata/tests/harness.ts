import { randomUUID } from 'node:crypto'
import { type iam, iamServiceDefinition, logServiceDefinition, type metadata } from '@millrace/contracts'
import { type AnyNewEvent, appendEvents } from '@millrace/events'
import { createGrpcClient, createGrpcServer, type GrpcClient } from '@millrace/grpc'
import { IDENTITY_HEADER, type Identity } from '@millrace/identity'
import { createPool, type Pool, withTransaction } from '@millrace/postgres'
import { type IdentityAuthority, testDatabase, testIdentityAuthority, testLogger, testService } from '@millrace/testkit'
import { v7 } from 'uuid'
import { createMetadataService, type MetadataConfig, type MetadataDeps } from '../src/index.js'

export type LogClient = GrpcClient<typeof logServiceDefinition>

export interface Harness {
  authority: IdentityAuthority
  /** Tokens that the stand-in of iam knows; take one out to revoke it. */
  tokens: Map<string, Partial<iam.ValidateTokenResponse>>
  publish(events: AnyNewEvent[]): Promise<void>
  get(
    path: string,
    identity: Partial<Identity>,
    init?: { headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Response>
  target(path: string, identity: Partial<Identity>, method?: string): { url: string; identity: Record<string, string> }
  /** Appends as the built-in worker does, or with a caller's token. */
  logs(token?: string): LogClient
  /** Audit entries that the service itself wrote. */
  audited(): Promise<Record<string, unknown>[]>
  /** Another process of the same service, on the same data. */
  replica(): Promise<{ logs(): LogClient; stop(): Promise<void> }>
  /** Someone else's open transaction; resolves to what ends it. */
  holdTransaction(): Promise<() => Promise<void>>
  restart(): Promise<void>
  destroy(): Promise<void>
}

/** The real service with a real log of events; iam is a gRPC server with a table of tokens. */
export async function startHarness(
  config: Partial<MetadataConfig> = {},
  overrides: Partial<MetadataDeps> = {},
): Promise<Harness> {
  const database = await testDatabase()
  const authority = testIdentityAuthority()
  const tokens = new Map<string, Partial<iam.ValidateTokenResponse>>()
  const iamServer = iamStandIn(authority, tokens)
  const iamPort = await iamServer.start('127.0.0.1', 0)
  const make = () =>
    createMetadataService(
      {
        databaseUrl: database.url,
        http: { host: '127.0.0.1', port: 0 },
        publicGrpc: { host: '127.0.0.1', port: 0 },
        identity: testService('metadata'),
        iamGrpc: `127.0.0.1:${iamPort}`,
        logLevel: 'silent',
        ...config,
        follow: { pollMs: 100, graceMs: 300, arrivalMs: 1_000, ...config.follow },
      },
      { logger: testLogger, ...overrides },
    )
  let service = make()
  await service.start()
  const pool = createPool({ connectionString: database.url, schema: 'metadata', max: 2 })
  const clients: LogClient[] = []
  const target: Harness['target'] = (path, identity, method = 'GET') => ({
    url: `http://127.0.0.1:${service.httpPort}${path}`,
    identity: { [IDENTITY_HEADER]: authority.identityHeader(identity, { service: 'metadata', method, target: path }) },
  })
  const closeClients = () => {
    for (const client of clients.splice(0)) client.close()
  }
  return {
    authority,
    tokens,
    publish: (events) => withTransaction(pool, (tx) => appendEvents(tx, 'scheduler', events)),
    target,
    get: (path, identity, init = {}) => {
      const to = target(path, identity)
      return fetch(to.url, { ...init, headers: { ...to.identity, ...init.headers } })
    },
    logs(token) {
      const client = logClient(service.publicGrpcPort, token)
      clients.push(client)
      return client
    },
    async audited() {
      const { rows } = await pool.query<{ data: Record<string, unknown> }>(
        `select data from events.log where topic = 'audit.recorded' and source = 'metadata' order by id`,
      )
      return rows.map(({ data }) => data)
    },
    async replica() {
      const other = make()
      await other.start()
      return {
        logs() {
          const client = logClient(other.publicGrpcPort)
          clients.push(client)
          return client
        },
        stop: () => other.stop(),
      }
    },
    holdTransaction: () => holdTransaction(pool),
    async restart() {
      closeClients()
      await service.stop()
      service = make()
      await service.start()
    },
    async destroy() {
      closeClients()
      await service.stop()
      await iamServer.stop(0)
      await pool.end()
      await database.drop()
    },
  }
}

function logClient(port: number, token?: string): LogClient {
  const auth =
    token === undefined ? { serviceToken: () => testService('worker').tokenFor('metadata') } : { bearer: () => token }
  return createGrpcClient(logServiceDefinition, `127.0.0.1:${port}`, { ...auth, logger: testLogger })
}

function iamStandIn(authority: IdentityAuthority, tokens: Map<string, Partial<iam.ValidateTokenResponse>>) {
  return createGrpcServer({
    service: 'iam',
    logger: testLogger,
    auth: { kind: 'internal', identity: testService('iam') },
    services: [
      {
        definition: iamServiceDefinition,
        handlers: {
          getJwks: () => Promise.resolve({ jwksJson: JSON.stringify(authority.jwks) }),
          getSecrets: () => Promise.resolve({}),
          findInvalidKeys: () => Promise.resolve({}),
          getSubjectNames: () => Promise.resolve({}),
          getQuotas: () => Promise.resolve({}),
          getUsage: () => Promise.resolve({}),
          useMails: () => Promise.resolve({ allowed: true }),
          openStream: () => Promise.resolve({ allowed: true }),
          keepStreams: () => Promise.resolve({}),
          reportStorage: () => Promise.resolve({}),
          validateToken: (request: iam.ValidateTokenRequest__Output) => {
            const known = tokens.get(request.token ?? '')
            if (known === undefined) return Promise.resolve({ valid: false, reason: 'unknown' })
            const expiresAt = new Date(Date.now() + 60_000).toISOString()
            return Promise.resolve({ valid: true, subject: 'key:1', project: 'test', expiresAt, ...known })
          },
        },
      },
    ],
  })
}

export interface TestRun {
  projectId: string
  runId: string
  jobId: string
  started(): AnyNewEvent
  run(sequence: number, status: string): AnyNewEvent
  completed(sequence: number, status: string): AnyNewEvent
  task(sequence: number, status: string, more?: object): AnyNewEvent
  line(seq: number, more?: Partial<metadata.LogLine>): metadata.LogLine
}

/** A run of one task, and what is said of it. */
export function testRun(projectId: string = randomUUID(), workflow = 'orders'): TestRun {
  const runId = v7()
  const jobId = v7()
  const base = { runId, projectId, workflow, version: 3 }
  const key = runId
  return {
    projectId,
    runId,
    jobId,
    started: () => ({
      topic: 'workflow.started',
      key,
      data: {
        ...base,
        priority: 5,
        labels: { team: 'shop' },
        createdAt: new Date().toISOString(),
        requestedBy: 'user:1',
      },
    }),
    run: (sequence, status) => ({ topic: 'workflow.updated', key, sequence, data: { ...base, status } }),
    completed: (sequence, status) => ({
      topic: 'workflow.completed',
      key,
      sequence,
      data: { ...base, status, finishedAt: new Date().toISOString() },
    }),
    task: (sequence, status, more = {}) => ({
      topic: 'task.updated',
      key,
      sequence,
      subject: jobId,
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      data: {
        ...base,
        taskId: jobId,
        key: 'pay',
        index: -1,
        uses: 'http',
        queue: 'default',
        status,
        attempt: 1,
        maxAttempts: 3,
        ...more,
      },
    }),
    line: (seq, more = {}) => ({
      taskId: jobId,
      runId,
      projectId,
      key: 'pay',
      attempt: 1,
      seq,
      at: new Date().toISOString(),
      level: 'info',
      stream: 'stdout',
      message: `line ${seq}`,
      ...more,
    }),
  }
}

export async function ndjson(response: Response): Promise<Record<string, unknown>[]> {
  const text = await response.text()
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

/** Someone else's open transaction; resolves to what ends it. */
export async function holdTransaction(pool: Pool): Promise<() => Promise<void>> {
  const tx = await pool.connect()
  await tx.query('begin')
  await tx.query('select pg_current_xact_id()')
  return async () => {
    await tx.query('rollback')
    tx.release()
  }
}
