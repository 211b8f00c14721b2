import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type scheduler, schedulerInternalDefinition } from '@millrace/contracts'
import { notFound, unavailable } from '@millrace/errors'
import { appendEvents, type CloudEvent, type Topic } from '@millrace/events'
import { createGrpcServer, type HandlersOf } from '@millrace/grpc'
import { noQuotas } from '@millrace/iam-client'
import { IDENTITY_HEADER, type Identity } from '@millrace/identity'
import { createPool, type Pool } from '@millrace/postgres'
import { testDatabase, testIdentityAuthority, testLogger, testService, waitFor } from '@millrace/testkit'
import type { ArtifactConfig, ArtifactLimits } from '../src/config.js'
import { type ArtifactDeps, type ArtifactService, createArtifactService } from '../src/index.js'

export interface CallOptions {
  as?: Partial<Identity> | null
  json?: unknown
  body?: RequestInit['body']
  headers?: Record<string, string>
}

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of an answer is its own business
  json: any
  bytes: Buffer
}

export interface FakeScheduler {
  /** `session run` → the project of the run. */
  leases: Map<string, string>
  /** Which credential registered a session; anybody's where none is named. */
  owners: Map<string, string>
  /** Run → workflow. */
  workflows: Map<string, string>
  /** Run → its project, where it is not the one of the harness. Every other id is that of a run of the harness's project. */
  projects: Map<string, string>
  /** Runs that have not arrived: how often the scheduler denies them. */
  arriving: Map<string, number>
  down: boolean
}

export interface Harness {
  url: string
  projectId: string
  directory: string
  pool: Pool
  scheduler: FakeScheduler
  service: ArtifactService
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  events(topic: Topic): Promise<CloudEvent['data'][]>
  publish: (events: Parameters<typeof appendEvents>[2]) => Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Answers what this service asks, over the real wire; the rest of the scheduler is not its business. */
async function startScheduler(state: FakeScheduler) {
  const known: Record<string, unknown> = {
    holdsLease: async ({ sessionId, runId, subject }: scheduler.HoldsLeaseRequest__Output) => {
      if (state.down) throw unavailable('down', 'The scheduler is down')
      const owned = (state.owners.get(sessionId) ?? subject) === subject
      const projectId = owned ? state.leases.get(`${sessionId} ${runId}`) : undefined
      return { holds: projectId !== undefined, projectId: projectId ?? '' }
    },
    getRun: async ({ runId, projectId }: scheduler.GetRunRequest__Output) => {
      if (state.down) throw unavailable('down', 'The scheduler is down')
      const denials = state.arriving.get(runId) ?? 0
      state.arriving.set(runId, denials - 1)
      if (denials > 0 || (state.projects.get(runId) ?? projectId) !== projectId) throw notFound('run_not_found', 'no')
      return { run: { id: runId, workflow: state.workflows.get(runId) ?? 'some-workflow' } }
    },
  }
  const handlers = new Proxy(known, {
    get: (target, name: string) => target[name] ?? (() => Promise.reject(new Error('not here'))),
  }) as unknown as HandlersOf<typeof schedulerInternalDefinition>
  const server = createGrpcServer({
    service: 'scheduler',
    logger: testLogger,
    auth: { kind: 'internal', identity: testService('scheduler') },
    services: [{ definition: schedulerInternalDefinition, handlers }],
  })
  return { server, port: await server.start('127.0.0.1', 0) }
}

export async function startHarness(
  limits: Partial<ArtifactLimits> = {},
  overrides: Partial<ArtifactDeps> = {},
  config: Partial<ArtifactConfig> = {},
): Promise<Harness> {
  const database = await testDatabase()
  const directory = await mkdtemp(join(tmpdir(), 'millrace-artifact-'))
  const authority = testIdentityAuthority()
  const state: FakeScheduler = {
    ...{ leases: new Map(), owners: new Map(), workflows: new Map(), projects: new Map(), arriving: new Map() },
    down: false,
  }
  const scheduler = await startScheduler(state)
  const pool = createPool({ connectionString: database.url, schema: 'artifact' })
  const projectId = randomUUID()
  const make = () =>
    createArtifactService(
      {
        databaseUrl: database.url,
        http: { host: '127.0.0.1', port: 0 },
        identity: testService('artifact'),
        iamGrpc: '127.0.0.1:1',
        schedulerGrpc: `127.0.0.1:${scheduler.port}`,
        logLevel: 'silent',
        limits,
        ...config,
        files: { signingKey: Buffer.alloc(32, 1), ...config.files, directory },
      },
      {
        ...{ logger: testLogger, verifier: authority.verifier },
        ...{ quotas: async () => noQuotas, reportStorage: async () => undefined },
        ...overrides,
      },
    )
  const harness: Harness = {
    url: '',
    projectId,
    directory,
    pool,
    scheduler: state,
    service: make(),
    async call(method, path, { as = {}, json, body, headers = {} } = {}) {
      const identity = as === null ? {} : { [IDENTITY_HEADER]: authority.identityHeader({ projectId, ...as }) }
      const payload = json === undefined ? body : JSON.stringify(json)
      const response = await fetch(harness.url + path, {
        method,
        headers: { ...identity, ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(payload === undefined ? {} : { body: payload, duplex: 'half' }),
      } as RequestInit)
      const bytes = Buffer.from(await response.arrayBuffer())
      const isJson = response.headers.get('content-type')?.includes('json') ?? false
      return {
        status: response.status,
        headers: response.headers,
        bytes,
        json: isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined,
      }
    },
    async events(topic) {
      return (await pool.query('select data from events.log where topic = $1 order by id', [topic])).rows.map(
        (row) => row.data,
      )
    },
    publish: (events) => appendEvents(pool, 'test', events),
    async restart() {
      await harness.service.stop()
      harness.service = make()
      await harness.service.start()
      harness.url = `http://127.0.0.1:${harness.service.httpPort}`
    },
    async stop() {
      await harness.service.stop()
      await scheduler.server.stop(0)
      await pool.end()
      await database.drop()
      await rm(directory, { recursive: true, force: true })
    },
  }
  await harness.service.start()
  harness.url = `http://127.0.0.1:${harness.service.httpPort}`
  return harness
}

export async function makeComplete(h: Harness, name: string, content: string, extra: object = {}): Promise<string> {
  const created = await h.call('POST', '/api/v1/artifacts', { json: { name, ...extra } })
  const { id } = created.json
  const put = await h.call('PUT', `/api/v1/artifacts/${id}/content`, { body: content })
  if (put.status !== 200) throw new Error(`upload answered ${put.status} ${put.bytes.toString()}`)
  return id
}

export { waitFor }
