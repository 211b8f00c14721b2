import {
  scheduleServiceDefinition,
  type schedules,
  type workflow,
  workflowServiceDefinition,
} from '@millrace/contracts'
import { notFound, toAppError } from '@millrace/errors'
import { createGrpcClient, createGrpcServer, type GrpcClient, type GrpcServer } from '@millrace/grpc'
import { noQuotas } from '@millrace/iam-client'
import { createPool, type Pool } from '@millrace/postgres'
import { freePort, type TestDatabase, testDatabase, testLogger, testService } from '@millrace/testkit'
import { v7 } from 'uuid'
import { createSchedulerService, type SchedulerService } from '../../src/server.js'

const anyPort = { host: '127.0.0.1', port: 0 }

/** Gives creation to runs as the workflow service does, over a real socket: one for each dedupe key. */
export class NewRunCounter {
  /** Run ids by dedupe key, in the order of creation. */
  readonly runs = new Map<string, string>()
  readonly calls: { dedupeKey: string; inputJson: string; workflow: string; labels: Record<string, string> }[] = []
  /** Called after the run exists and before that is answered. */
  beforeAnswer: () => Promise<void> = async () => {}
  refuse: ((request: workflow.CreateRunRequest__Output) => Error | undefined) | undefined
  /** Runs of each call. */
  readonly batches: number[] = []
  port = 0
  #server: GrpcServer | undefined

  async start(): Promise<void> {
    this.port ||= await freePort()
    this.#server = createGrpcServer({
      service: 'workflow',
      logger: testLogger,
      auth: { kind: 'internal', identity: testService('workflow') },
      services: [
        {
          definition: workflowServiceDefinition,
          handlers: {
            createRun: (request: workflow.CreateRunRequest__Output) => this.create(request),
            createRuns: async ({ runs }: workflow.CreateRunsRequest__Output) => {
              this.batches.push(runs.length)
              return { outcomes: await Promise.all(runs.map((run) => this.outcomeOf(run))) }
            },
            getVersion: async () => {
              throw notFound('version_not_found', 'There is none.')
            },
          },
        },
      ],
    })
    await this.#server.start('127.0.0.1', this.port)
  }

  private async create(request: workflow.CreateRunRequest__Output): Promise<workflow.CreateRunResponse> {
    const { dedupeKey, inputJson, labels } = request
    this.calls.push({ dedupeKey, inputJson, labels, workflow: request.workflow })
    const refusal = this.refuse?.(request)
    if (refusal) throw refusal
    const existing = this.runs.has(dedupeKey)
    const runId = this.runs.get(dedupeKey) ?? v7()
    this.runs.set(dedupeKey, runId)
    await this.beforeAnswer()
    return { runId, workflow: request.workflow, version: 1, createdAt: new Date().toISOString(), existing }
  }

  private async outcomeOf(request: workflow.CreateRunRequest__Output): Promise<workflow.CreateRunOutcome> {
    try {
      return { run: await this.create(request) }
    } catch (error) {
      const { code, reason, message } = toAppError(error)
      return { refusal: { code, reason, message } }
    }
  }

  async stop(): Promise<void> {
    await this.#server?.stop(0)
    this.#server = undefined
  }

  /** Ticks of a schedule that have a run, oldest first. */
  ticksOf(scheduleId: string): string[] {
    const prefix = `schedule:${scheduleId}:`
    return [...this.runs.keys()]
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length))
      .sort()
  }
}

/** Real schedulers on a database of their own. */
export class ScheduleHarness {
  readonly projectId = v7()
  readonly newRuns = new NewRunCounter()
  readonly services: SchedulerService[] = []
  readonly #clients: GrpcClient<typeof scheduleServiceDefinition>[] = []

  private constructor(
    readonly database: TestDatabase,
    readonly pool: Pool,
  ) {}

  static async start(): Promise<ScheduleHarness> {
    const database = await testDatabase()
    const harness = new ScheduleHarness(
      database,
      createPool({ connectionString: database.url, schema: 'scheduler', max: 4 }),
    )
    await harness.newRuns.start()
    await harness.startScheduler()
    return harness
  }

  config() {
    return {
      databaseUrl: this.database.url,
      http: anyPort,
      grpc: anyPort,
      publicGrpc: anyPort,
      identity: testService('scheduler'),
      iamGrpc: '127.0.0.1:1',
      workflowGrpc: `127.0.0.1:${this.newRuns.port}`,
      logLevel: 'silent' as const,
      leaseMs: 6000,
    }
  }

  async startScheduler(): Promise<SchedulerService> {
    const service = createSchedulerService(this.config(), { logger: testLogger, quotas: async () => noQuotas })
    await service.start()
    this.services.push(service)
    return service
  }

  async stopSchedulers(): Promise<void> {
    for (const client of this.#clients.splice(0)) client.close()
    await Promise.all(this.services.splice(0).map((service) => service.stop()))
  }

  client(): GrpcClient<typeof scheduleServiceDefinition> {
    const [known] = this.#clients
    if (known) return known
    const [service] = this.services
    const client = createGrpcClient(scheduleServiceDefinition, `127.0.0.1:${service?.grpcPort}`, {
      serviceToken: () => testService('workflow').tokenFor('scheduler'),
      defaultTimeoutMs: 20_000,
      logger: testLogger,
    })
    this.#clients.push(client)
    return client
  }

  async create(more: schedules.CreateScheduleRequest = {}): Promise<schedules.Schedule__Output> {
    const { schedule } = await this.client().createSchedule({
      id: v7(),
      projectId: this.projectId,
      workflow: 'nightly',
      cron: '* * * * * *',
      timezone: 'UTC',
      inputJson: '{"n":1}',
      catchup: 'none',
      paused: false,
      requester: { subject: 'user:test', ip: '127.0.0.1', requestId: 'r1' },
      ...more,
    })
    return schedule as schedules.Schedule__Output
  }

  async get(id: string): Promise<schedules.Schedule__Output> {
    return (await this.client().getSchedule({ id, projectId: this.projectId })).schedule as schedules.Schedule__Output
  }

  update(id: string, change: schedules.UpdateScheduleRequest) {
    return this.client().updateSchedule({ id, projectId: this.projectId, ...change })
  }

  async stop(): Promise<void> {
    await this.stopSchedulers()
    await this.newRuns.stop()
    await this.pool.end()
    await this.database.drop()
  }
}
