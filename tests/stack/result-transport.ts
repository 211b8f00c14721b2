import { randomUUID } from 'node:crypto'
import { schedulerInternalDefinition } from '@millrace/contracts'
import type { Definition } from '@millrace/definition'
import { appendEvents, createKafkaEventBus, type EventOf, type KafkaEventBus } from '@millrace/events'
import { createGrpcClient, type GrpcClient } from '@millrace/grpc'
import { createPool, type Pool } from '@millrace/postgres'
import { createSchedulerService, type SchedulerService } from '@millrace/scheduler-service'
import { freePort, type TestDatabase, testDatabase, testLogger, testService, waitFor } from '@millrace/testkit'
import { createWorkerService, ExecutionFailure, type Executor, type WorkerService } from '@millrace/worker-service'
import type { TestKafka } from './test-kafka.js'

export type ResultTransport = 'events' | 'dispatch'
type Result = EventOf<'task.completed' | 'task.failed'>
type Scheduled = EventOf<'task.scheduled'>

const projectId = randomUUID()

export interface Executed {
  key: string
  taskId: string
  startedAt: number
  endedAt: number
}

/** A scheduler and a worker on a real broker; definitions come from the test. */
export class TransportHarness {
  readonly executed: Executed[] = []
  running = 0
  private readonly definitions = new Map<string, Definition>()
  private readonly schedulers: SchedulerService[] = []
  private worker: WorkerService | undefined
  private readonly seen: Result[] = []
  private readonly scheduledSeen: Scheduled[] = []
  private open: () => void = () => undefined
  private readonly gate = new Promise<void>((resolve) => {
    this.open = resolve
  })

  private constructor(
    private readonly database: TestDatabase,
    readonly pool: Pool,
    private readonly events: { kind: 'kafka'; brokers: string[]; prefix: string; ssl: boolean },
    private readonly bus: KafkaEventBus,
    /** Fixed, so that the worker finds the scheduler that comes after. */
    private readonly ports: { public: number; internal: number },
  ) {}

  static async start(kafka: TestKafka, transport: ResultTransport): Promise<TransportHarness> {
    const database = await testDatabase()
    const prefix = `r${randomUUID().slice(0, 8)}.`
    const events = { kind: 'kafka' as const, brokers: kafka.brokers, prefix, ssl: false }
    const pool = createPool({ connectionString: database.url, schema: 'events', max: 4 })
    const bus = createKafkaEventBus({ connection: events, clientId: 'test', logger: testLogger })
    const harness = new TransportHarness(database, pool, events, bus, {
      public: await freePort(),
      internal: await freePort(),
    })
    await harness.startScheduler()
    await bus.subscribe<'task.completed' | 'task.failed'>({
      group: 'results-of-test',
      topics: ['task.completed', 'task.failed'],
      handler: async (results) => {
        harness.seen.push(...results)
      },
    })
    await bus.subscribe<'task.scheduled'>({
      group: 'scheduled-of-test',
      topics: ['task.scheduled'],
      handler: async (events) => {
        harness.scheduledSeen.push(...events)
      },
    })
    await harness.startWorker(transport)
    return harness
  }

  /** The first, or the one after it was stopped, on the ports that the worker knows; further ones elsewhere. */
  async startScheduler(): Promise<void> {
    const first = this.schedulers.length === 0
    const at = (port: number) => ({ host: '127.0.0.1', port: first ? port : 0 })
    const service = createSchedulerService(
      {
        ...{
          databaseUrl: this.database.url,
          events: this.events,
          identity: testService('scheduler'),
          logLevel: 'silent',
        },
        ...{ http: at(0), grpc: at(this.ports.internal), publicGrpc: at(this.ports.public), leaseMs: 6_000 },
        ...{ iamGrpc: '127.0.0.1:1', workflowGrpc: '127.0.0.1:1' },
      },
      {
        logger: testLogger,
        secrets: { fetch: async () => ({ values: new Map(), unreadable: new Set() }), close: () => undefined },
        workflows: {
          fetchVersion: async (versionId) => {
            const definition = this.definitions.get(versionId)
            if (!definition) throw new Error(`no version ${versionId}`)
            return definition
          },
          createRun: async () => ({ runId: randomUUID() }),
          createRuns: async (runs) => runs.map(() => ({ runId: randomUUID() })),
          close: () => undefined,
        },
      },
    )
    await service.start()
    this.schedulers.push(service)
  }

  async stopSchedulers(): Promise<void> {
    await Promise.all(this.schedulers.splice(0).map((service) => service.stop()))
  }

  private async startWorker(results: ResultTransport): Promise<void> {
    this.worker = createWorkerService(
      {
        ...{
          schedulerGrpc: `127.0.0.1:${this.ports.public}`,
          metadataGrpc: '127.0.0.1:1',
          identity: testService('worker'),
        },
        ...{ events: this.events, results, name: 'harness', queues: ['*'], concurrency: 50, leaseWaitMs: 5_000 },
        ...{ grpc: { host: '127.0.0.1', port: 0 }, drainTimeoutMs: 5_000, flushTimeoutMs: 3_000 },
        ...{ egress: { allowPrivate: true, allow: [] }, shell: { enabled: false } },
        ...{ exitWithParent: false, logLevel: 'silent' },
      },
      { logger: testLogger, executors: this.executors() },
    )
    await this.worker.start()
  }

  private executors(): Executor[] {
    const executor = (uses: string, work: (input: { value?: unknown }) => unknown): Executor => ({
      uses,
      execute: async ({ lease, input }) => {
        const { key, taskId } = lease
        const mark = { key, taskId, startedAt: performance.now(), endedAt: 0 }
        this.executed.push(mark)
        this.running += 1
        try {
          return await work(input as { value?: unknown })
        } finally {
          this.running -= 1
          mark.endedAt = performance.now()
        }
      },
    })
    return [
      executor('test.echo', ({ value }) => value),
      executor('test.slow', async ({ value }) => {
        await this.gate
        return value
      }),
      executor('test.large', () => 'x'.repeat(600_000)),
      executor('test.fail', () => {
        throw new ExecutionFailure('it is broken', { code: 'broken', class: 'user', retryable: true })
      }),
    ]
  }

  /** Lets slow tasks end, now and later. */
  release(): void {
    this.open()
  }

  async begin(definition: Definition): Promise<string> {
    const [versionId, runId] = [randomUUID(), randomUUID()]
    this.definitions.set(versionId, definition)
    const data = {
      ...{ runId, projectId, workflowId: randomUUID(), workflow: 'test', version: 1, versionId, inputJson: '' },
      ...{
        priority: 5,
        labels: {},
        createdAt: new Date().toISOString(),
        requestedBy: 'test',
        hold: false,
        startAt: '',
      },
    }
    await appendEvents(this.pool, 'workflow', [{ topic: 'workflow.started', key: runId, data }])
    // As the workflow service's bus would: the relay of another process is told.
    await this.pool.query(`select pg_notify('millrace_events', 'test workflow.started')`)
    return runId
  }

  async find(runId: string) {
    return await this.internal((client) => client.getRun({ runId, projectId })).catch(() => undefined)
  }

  async ended(runId: string, timeoutMs = 90_000) {
    return await waitFor(
      async () => {
        const found = await this.find(runId)
        if (!['succeeded', 'failed', 'cancelled'].includes(found?.run?.status ?? '')) {
          throw new Error(`the run is ${found?.run?.status ?? 'absent'}`)
        }
        return found as NonNullable<typeof found>
      },
      { timeoutMs },
    )
  }

  /** What workers said of a run, or what was said in their name, each once, as the broker has it. */
  async results(runId: string, count: number): Promise<Result[]> {
    return await this.seenOf(this.seen, runId, count)
  }

  /** Tasks of a run that were made ready, each once, as the broker has it. */
  async scheduled(runId: string, count: number): Promise<Scheduled[]> {
    return await this.seenOf(this.scheduledSeen, runId, count)
  }

  private async seenOf<E extends Result | Scheduled>(all: readonly E[], runId: string, count: number): Promise<E[]> {
    const ofRun = () => [
      ...new Map(all.filter(({ data }) => data.runId === runId).map((event) => [event.id, event])).values(),
    ]
    await waitFor(() => ofRun().length >= count, { timeoutMs: 90_000 })
    return ofRun()
  }

  async outboxSize(): Promise<number> {
    return (await this.pool.query<{ n: number }>('select count(*) as n from log')).rows[0]?.n ?? 0
  }

  async until(condition: () => boolean | Promise<boolean>, timeoutMs = 90_000): Promise<void> {
    await waitFor(condition, { timeoutMs })
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms))
  }

  async stop(): Promise<void> {
    this.open()
    await this.worker?.stop(1_000)
    await this.stopSchedulers()
    await this.bus.close()
    await this.pool.end()
    await this.database.drop()
  }

  private async internal<R>(work: (client: GrpcClient<typeof schedulerInternalDefinition>) => Promise<R>): Promise<R> {
    const client = createGrpcClient(schedulerInternalDefinition, `127.0.0.1:${this.ports.internal}`, {
      serviceToken: () => testService('workflow').tokenFor('scheduler'),
      logger: testLogger,
    })
    try {
      return await work(client)
    } finally {
      client.close()
    }
  }
}
