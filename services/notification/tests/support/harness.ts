import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnyNewEvent, appendEvents, createPostgresEventBus, type EventBus } from '@millrace/events'
import type { Identity } from '@millrace/identity'
import { createPool, type Pool, withTransaction } from '@millrace/postgres'
import { startTelemetry } from '@millrace/telemetry'
import {
  type HttpSink,
  httpSink,
  testDatabase,
  testIdentityAuthority,
  testLogger,
  testService,
  waitFor,
} from '@millrace/testkit'
import {
  createNotificationService,
  type DeliveryConfig,
  type NotificationConfig,
  type NotificationDeps,
  type NotificationService,
} from '../../src/index.js'

export interface Answer {
  status: number
  headers: Headers
  body: Record<string, unknown>
}

export type Json = Record<string, unknown>

/** The real service on a database of its own, and a receiver that it may reach. */
export class Harness {
  readonly projectId = randomUUID()
  service!: NotificationService
  private constructor(
    readonly config: NotificationConfig,
    readonly sink: HttpSink,
    readonly pool: Pool,
    readonly bus: EventBus,
    readonly mailDirectory: string,
    readonly authority: ReturnType<typeof testIdentityAuthority>,
    private readonly dropDatabase: () => Promise<void>,
  ) {}

  static async create(
    delivery: Partial<DeliveryConfig> = {},
    overrides: Partial<NotificationDeps> = {},
    settings: Partial<NotificationConfig> = {},
  ): Promise<Harness> {
    startTelemetry({ serviceName: 'notification' })
    const database = await testDatabase()
    const sink = await httpSink()
    const mailDirectory = await mkdtemp(join(tmpdir(), 'millrace-mail-'))
    const config: NotificationConfig = {
      databaseUrl: database.url,
      http: { host: '127.0.0.1', port: 0 },
      identity: testService('notification'),
      iamGrpc: '127.0.0.1:1',
      logLevel: 'silent',
      secretKey: randomBytes(32),
      delivery: { pollMs: 200, ...delivery },
      mail: { directory: mailDirectory },
      egress: { allowPrivate: false, allow: [`127.0.0.1:${sink.port}`] },
      ...settings,
    }
    const pool = createPool({ connectionString: database.url, schema: 'notification', max: 4 })
    const bus = createPostgresEventBus({ connectionString: database.url, logger: testLogger })
    const harness = new Harness(config, sink, pool, bus, mailDirectory, testIdentityAuthority(), database.drop)
    await harness.startService(overrides)
    return harness
  }

  async startService(overrides: Partial<NotificationDeps> = {}): Promise<void> {
    const verifier = this.authority.verifier
    this.service = createNotificationService(
      { ...this.config },
      {
        ...{ logger: testLogger, verifier, useMails: async () => undefined },
        ...overrides,
      },
    )
    await this.service.start()
  }

  async close(): Promise<void> {
    await this.service.stop()
    await this.bus.close()
    await this.pool.end()
    await this.sink.close()
    await this.dropDatabase()
    await rm(this.mailDirectory, { recursive: true, force: true })
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    as: Partial<Identity> = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const identity = this.authority.identityHeader({ projectId: this.projectId, email: 'owner@example.com', ...as })
    const response = await fetch(`http://127.0.0.1:${this.service.httpPort}/api/v1${path}`, {
      method,
      headers: {
        'x-millrace-identity': identity,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? {} : (JSON.parse(text) as Json) }
  }

  /** A webhook to the sink for every ended run, unless told otherwise. */
  async subscribe(input: Json = {}, as: Partial<Identity> = {}): Promise<{ id: string; secret: string }> {
    const channel = { type: 'webhook', url: `${this.sink.url}/hook` }
    const answer = await this.call('POST', '/subscriptions', { events: ['workflow.completed'], channel, ...input }, as)
    if (answer.status !== 201) throw new Error(`not created: ${JSON.stringify(answer.body)}`)
    return answer.body as { id: string; secret: string }
  }

  async removeSubscriptions(): Promise<void> {
    const { items } = (await this.call('GET', '/subscriptions?limit=200')).body
    for (const { id } of items as Json[]) await this.call('DELETE', `/subscriptions/${String(id)}`)
  }

  async emit(...events: AnyNewEvent[]): Promise<void> {
    await withTransaction(this.pool, (tx) => appendEvents(tx, 'scheduler', events))
    this.bus.hint()
  }

  completed(data: Json = {}, traceparent?: string): AnyNewEvent {
    const runId = (data.runId as string | undefined) ?? randomUUID()
    return {
      topic: 'workflow.completed',
      key: runId,
      ...(traceparent === undefined ? {} : { traceparent }),
      data: {
        runId,
        projectId: this.projectId,
        workflow: 'order-fulfilment',
        version: 3,
        status: 'succeeded',
        generation: 1,
        outputJson: '{"receipt":"r-1"}',
        labels: { team: 'shop' },
        createdAt: '2025-01-01T00:00:00.000Z',
        startedAt: '2025-01-01T00:00:00.100Z',
        finishedAt: '2025-01-01T00:00:01.000Z',
        ...data,
      },
    }
  }

  async notifications(query = ''): Promise<Json[]> {
    return (await this.call('GET', `/notifications${query}`)).body.items as Json[]
  }

  /** The only notification, once it is as wanted. */
  async settled(subscriptionId: string, status: string, timeoutMs = 10_000): Promise<Json & { attempts: Json[] }> {
    const id = await waitFor(
      async () => (await this.notifications(`?subscription=${subscriptionId}&status=${status}`))[0]?.id,
      { timeoutMs, what: `a notification that is ${status}` },
    )
    return (await this.call('GET', `/notifications/${String(id)}`)).body as Json & { attempts: Json[] }
  }

  async mails(): Promise<string[]> {
    const names = (await readdir(this.mailDirectory)).filter((name) => name.endsWith('.eml'))
    return Promise.all(names.map((name) => readFile(join(this.mailDirectory, name), 'utf8')))
  }

  async events(topic: string): Promise<Json[]> {
    const { rows } = await this.pool.query<{ data: Json }>('select data from events.log where topic = $1 order by id', [
      topic,
    ])
    return rows.map((row) => row.data)
  }
}
