import {
  controlServiceDefinition,
  dispatchDefinition,
  type scheduler,
  schedulerInternalDefinition,
} from '@millrace/contracts'
import { type Definition, validateDefinition } from '@millrace/definition'
import {
  appendEvents,
  type CloudEvent,
  createPostgresEventBus,
  type EventBus,
  type EventData,
  type Topic,
} from '@millrace/events'
import { createGrpcClient, type GrpcClient } from '@millrace/grpc'
import { noQuotas } from '@millrace/iam-client'
import { createPool, type Pool } from '@millrace/postgres'
import { type TestDatabase, testDatabase, testLogger, testService, waitFor } from '@millrace/testkit'
import { v7 } from 'uuid'
import type { SecretsClient } from '../../src/clients/secrets-client.js'
import type { WorkflowClient } from '../../src/clients/workflow-client.js'
import type { EngineConfig, SchedulerConfig } from '../../src/config.js'
import type { SchedulerDeps } from '../../src/context.js'
import { createSchedulerService, type SchedulerService } from '../../src/server.js'

export const projectId = v7()

/** The real service on a database of its own, with real clients; definitions come from the test. */
export class Harness {
  readonly definitions = new Map<string, Definition>()
  /** Versions that cannot be had now, and why. */
  readonly unavailable = new Map<string, Error>()
  /** Answers for the workflow service when the scheduler asks for a run. */
  createRun: WorkflowClient['createRun'] = async () => ({ runId: v7() })
  /** Answers for iam when the scheduler asks for secrets. */
  fetchSecrets: SecretsClient['fetch'] = async () => ({ values: new Map(), unreadable: new Set() })
  private readonly services: SchedulerService[] = []
  private readonly internals = new Map<SchedulerService, GrpcClient<typeof schedulerInternalDefinition>>()
  private readonly closing: (() => Promise<unknown> | unknown)[] = []
  private constructor(
    readonly database: TestDatabase,
    readonly pool: Pool,
    readonly bus: EventBus,
  ) {}

  static async start(
    engine: Partial<EngineConfig> = {},
    leaseMs = 6000,
    deps: (databaseUrl: string) => Partial<SchedulerDeps> = () => ({}),
    config: Partial<SchedulerConfig> = {},
  ): Promise<Harness> {
    const database = await testDatabase()
    const pool = createPool({ connectionString: database.url, schema: 'scheduler', max: 4 })
    const bus = createPostgresEventBus({ connectionString: database.url, logger: testLogger })
    const harness = new Harness(database, pool, bus)
    await harness.startScheduler(engine, leaseMs, deps(database.url), config)
    return harness
  }

  async startScheduler(
    engine: Partial<EngineConfig> = {},
    leaseMs = 6000,
    deps: Partial<SchedulerDeps> = {},
    config: Partial<SchedulerConfig> = {},
  ): Promise<SchedulerService> {
    const anyPort = { host: '127.0.0.1', port: 0 }
    const service = createSchedulerService(
      {
        databaseUrl: this.database.url,
        http: anyPort,
        grpc: anyPort,
        publicGrpc: anyPort,
        identity: testService('scheduler'),
        iamGrpc: '127.0.0.1:1',
        workflowGrpc: '127.0.0.1:1',
        logLevel: 'silent',
        leaseMs,
        engine,
        ...config,
      },
      {
        logger: testLogger,
        quotas: async () => noQuotas,
        secrets: { fetch: (project, names) => this.fetchSecrets(project, names), close: () => undefined },
        workflows: {
          fetchVersion: async (versionId) => this.definition(versionId),
          createRun: (run) => this.createRun(run),
          createRuns: (runs) => Promise.all(runs.map((run) => this.createRun(run))),
          close: () => undefined,
        },
        ...deps,
      },
    )
    await service.start()
    this.services.push(service)
    return service
  }

  private definition(versionId: string): Definition {
    const refusal = this.unavailable.get(versionId)
    if (refusal) throw refusal
    const definition = this.definitions.get(versionId)
    if (!definition) throw new Error(`no version ${versionId}`)
    return definition
  }

  get service(): SchedulerService {
    const service = this.services[0]
    if (!service) throw new Error('no scheduler runs')
    return service
  }

  dispatch(service = this.service): GrpcClient<typeof dispatchDefinition> {
    const client = createGrpcClient(dispatchDefinition, `127.0.0.1:${service.publicGrpcPort}`, {
      serviceToken: () => testService('worker').tokenFor('scheduler'),
      defaultTimeoutMs: 30_000,
      logger: testLogger,
    })
    this.closing.push(() => client.close())
    return client
  }

  internal(service = this.service): GrpcClient<typeof schedulerInternalDefinition> {
    const known = this.internals.get(service)
    if (known) return known
    const client = createGrpcClient(schedulerInternalDefinition, `127.0.0.1:${service.grpcPort}`, {
      serviceToken: () => testService('workflow').tokenFor('scheduler'),
      logger: testLogger,
    })
    this.internals.set(service, client)
    this.closing.push(() => client.close())
    return client
  }

  control(service = this.service): GrpcClient<typeof controlServiceDefinition> {
    const client = createGrpcClient(controlServiceDefinition, `127.0.0.1:${service.grpcPort}`, {
      serviceToken: () => testService('workflow').tokenFor('scheduler'),
      logger: testLogger,
    })
    this.closing.push(() => client.close())
    return client
  }

  define(source: object): string {
    const result = validateDefinition({ name: 'test', ...source })
    if (!result.definition) throw new Error(JSON.stringify(result.errors))
    const versionId = v7()
    this.definitions.set(versionId, result.definition)
    return versionId
  }

  /** Requests runs as the workflow service does, and gives their ids. */
  async request(
    versionId: string,
    count = 1,
    input?: unknown,
    ids = Array.from({ length: count }, () => v7()),
    more: Partial<EventData<'workflow.started'>> = {},
  ) {
    await this.publish(ids.map((runId) => this.started(versionId, runId, input, more)))
    return ids
  }

  async publish(runs: readonly EventData<'workflow.started'>[]): Promise<void> {
    await appendEvents(
      this.pool,
      'workflow',
      runs.map((data) => ({ topic: 'workflow.started' as const, key: data.runId, data })),
    )
    this.bus.hint()
  }

  /** What `workflow.started` says of a run. */
  started(
    versionId: string,
    runId = v7(),
    input?: unknown,
    more: Partial<EventData<'workflow.started'>> = {},
  ): EventData<'workflow.started'> {
    return {
      runId,
      projectId,
      workflowId: v7(),
      workflow: 'test',
      version: 1,
      versionId,
      inputJson: input === undefined ? '' : JSON.stringify(input),
      priority: 5,
      labels: { team: 'mill' },
      createdAt: new Date().toISOString(),
      requestedBy: 'user:test',
      hold: false,
      startAt: '',
      parent: null,
      rerun: null,
      ...more,
    }
  }

  async one(versionId: string, input?: unknown): Promise<string> {
    const [id] = await this.request(versionId, 1, input)
    return id ?? ''
  }

  async run(runId: string): Promise<scheduler.GetRunResponse__Output> {
    return this.internal().getRun({ runId, projectId })
  }

  async ended(runId: string, timeoutMs = 15_000): Promise<scheduler.GetRunResponse__Output> {
    const internal = this.internal()
    return waitFor(
      async () => {
        const found = await internal.getRun({ runId, projectId }).catch(() => undefined)
        if (!found?.run || !['succeeded', 'failed', 'cancelled'].includes(found.run.status)) {
          throw new Error(`the run is ${found?.run?.status ?? 'absent'}`)
        }
        return found
      },
      { timeoutMs },
    )
  }

  async events<T extends Topic>(topic: T, key?: string): Promise<(CloudEvent<T>['data'] & { sequence: number })[]> {
    const result = await this.pool.query(
      'select data, sequence from events.log where topic = $1 and ($2::text is null or key = $2) order by id',
      [topic, key ?? null],
    )
    return result.rows.map((row) => ({ ...row.data, sequence: row.sequence }))
  }

  async stop(): Promise<void> {
    for (const close of this.closing) await close()
    await Promise.all(this.services.map((service) => service.stop()))
    await this.bus.close()
    await this.pool.end()
    await this.database.drop()
  }
}

export type Result = { output?: unknown } | { error: { class: string; message?: string; retryable?: boolean } }

/** A worker in a few lines: leases, asks `work`, reports, until stopped. */
export class TestWorker {
  readonly executed: scheduler.Lease__Output[] = []
  readonly verdicts: string[] = []
  session = { id: '', secret: '' }
  workerId = ''
  private stopping = false
  private loop: Promise<void> = Promise.resolve()
  private beating: NodeJS.Timeout | undefined
  readonly held = new Set<scheduler.Lease__Output>()

  constructor(
    private readonly client: GrpcClient<typeof dispatchDefinition>,
    private readonly work: (lease: scheduler.Lease__Output) => Promise<Result> | Result = () => ({}),
    private readonly slots = 10,
  ) {}

  async start(
    executors = ['noop', 'fail', 'sleep', 'transform', 'http', 'shell', 'custom.fn'],
    queues: string[] = [],
  ): Promise<this> {
    const answer = await this.client.register({ name: 'test', executors, queues, concurrency: this.slots })
    this.session = { id: answer.sessionId, secret: answer.sessionSecret }
    this.workerId = answer.workerId
    this.beating = setInterval(() => void this.beat().catch(() => undefined), answer.heartbeatMs)
    this.loop = this.serve()
    return this
  }

  beat() {
    const held = [...this.held].map(({ taskId, leaseId }) => ({ taskId, leaseId }))
    return this.client.heartbeat({ session: this.session, held })
  }

  private async serve(): Promise<void> {
    let leases: scheduler.Lease__Output[] = []
    while (!this.stopping) {
      try {
        if (leases.length === 0) {
          leases = (await this.client.leaseTasks({ session: this.session, max: this.slots, waitMs: 1000 })).leases
        }
        if (leases.length > 0) leases = await this.execute(leases)
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    }
  }

  private async execute(leases: scheduler.Lease__Output[]): Promise<scheduler.Lease__Output[]> {
    for (const lease of leases) this.held.add(lease)
    const results = await Promise.all(
      leases.map(async (lease) => {
        this.executed.push(lease)
        return resultOf(lease, await this.work(lease))
      }),
    )
    if (this.stopping) return []
    const reply = await this.client.reportResults({ session: this.session, results, want: leases.length })
    for (const lease of leases) this.held.delete(lease)
    this.verdicts.push(...reply.verdicts)
    return reply.leases
  }

  async stop(): Promise<void> {
    this.stopping = true
    clearInterval(this.beating)
    await this.loop
  }
}

export function resultOf(lease: scheduler.Lease__Output, result: Result): scheduler.TaskResult {
  const { taskId, runId, token, leaseId } = lease
  const proof = { taskId, runId, token, leaseId, durationMs: 1 }
  if ('error' in result) {
    const error = { code: 'test', message: 'failed', retryable: true, ...result.error }
    return { ...proof, outcome: 'OUTCOME_FAILED', error }
  }
  return { ...proof, outcome: 'OUTCOME_SUCCEEDED', outputJson: JSON.stringify(result.output ?? null) }
}
