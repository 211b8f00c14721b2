import { randomUUID } from 'node:crypto'
import { type scheduler as proto, schedulerInternalDefinition, workflowServiceDefinition } from '@millrace/contracts'
import { conflict, notFound, unauthenticated } from '@millrace/errors'
import { createPostgresEventBus, type EventBus } from '@millrace/events'
import { createGrpcClient, createGrpcServer, type GrpcServer, type HandlersOf } from '@millrace/grpc'
import { noQuotas } from '@millrace/iam-client'
import { IDENTITY_HEADER, type Identity } from '@millrace/identity'
import { createPool, type Pool } from '@millrace/postgres'
import {
  freePort,
  type TestDatabase,
  testDatabase,
  testIdentityAuthority,
  testLogger,
  testService,
} from '@millrace/testkit'
import { createWorkflowService, type WorkflowConfig, type WorkflowService } from '../src/index.js'

type RunRow = { run: proto.Run; tasks: proto.Task[] }

/** Speaks the scheduler's contract over a real socket, from rows that the test writes. */
export class SchedulerDouble {
  readonly rows = new Map<string, RunRow>()
  readonly keptCancels: string[] = []
  readonly decisions: proto.DecideApprovalRequest__Output[] = []
  readonly signals: proto.SendSignalRequest__Output[] = []
  readonly keptCommands: string[] = []
  readonly letters = new Map<string, proto.DeadLetter>()
  readonly listRequests: proto.ListRunsRequest__Output[] = []
  onCancel: (runId: string) => void = () => {}
  /** Called when a run was looked for in vain, before that is answered. */
  onMiss: (runId: string) => Promise<void> = async () => {}
  changes: () => AsyncIterable<proto.WatchRunResponse> = async function* () {}
  port = 0
  #server: GrpcServer | undefined

  async start(): Promise<void> {
    this.port ||= await freePort()
    this.#server = createGrpcServer({
      service: 'scheduler',
      logger: testLogger,
      auth: { kind: 'internal', identity: testService('scheduler') },
      services: [{ definition: schedulerInternalDefinition, handlers: { ...this.#others(), ...this.#handlers() } }],
    })
    await this.#server.start('127.0.0.1', this.port)
  }

  async stop(): Promise<void> {
    await this.#server?.stop(100)
  }

  #find(runId: string, projectId: string): RunRow {
    const row = this.rows.get(runId)
    if (row === undefined || row.run.projectId !== projectId) throw notFound('run_not_found', 'There is no such run.')
    return row
  }

  /** What no test here asks for. */
  #others(): HandlersOf<typeof schedulerInternalDefinition> {
    const names = Object.keys(schedulerInternalDefinition.definition).map(
      (name) => name[0]?.toLowerCase() + name.slice(1),
    )
    const refuse = async () => {
      throw notFound('not_found', 'The double does not do this.')
    }
    return Object.fromEntries(names.map((name) => [name, refuse])) as unknown as HandlersOf<
      typeof schedulerInternalDefinition
    >
  }

  #handlers() {
    return {
      getRun: async (request: proto.GetRunRequest__Output) => {
        if (!this.rows.has(request.runId)) {
          await this.onMiss(request.runId)
          throw notFound('run_not_found', 'There is no such run.')
        }
        return this.#find(request.runId, request.projectId)
      },
      listRuns: async (request: proto.ListRunsRequest__Output) => {
        this.listRequests.push(request)
        const sign = request.oldestFirst ? 1 : -1
        const place = (createdAt = '', id = '') => `${createdAt}/${id}`
        const behind = (a: string, b: string) => (a < b ? -sign : sign)
        const before = place(request.beforeCreatedAt, request.beforeId)
        const runs = [...this.rows.values()]
          .map(({ run }) => run)
          .filter((run) => run.projectId === request.projectId)
          .filter((run) => request.statuses.length === 0 || request.statuses.includes(run.status ?? ''))
          .filter((run) => {
            const at = place(run.createdAt, run.id)
            return request.beforeId === '' || (at !== before && behind(at, before) === 1)
          })
          .sort((a, b) => behind(place(a.createdAt, a.id), place(b.createdAt, b.id)))
          .slice(0, request.limit)
        return { runs, takenIds: request.requestedIds.filter((id) => this.rows.has(id)) }
      },
      listActivity: async ({ projectId, workflows, limit }: proto.ListActivityRequest__Output) => ({
        items: workflows.map((workflow) => {
          const own = [...this.rows.values()].map(({ run }) => run).filter((run) => run.projectId === projectId)
          const runs = own.filter((run) => run.workflow === workflow)
          const ended = runs.filter(({ finishedAt }) => finishedAt)
          return { workflow, open: runs.length - ended.length, ended: ended.slice(0, limit) as proto.EndedRun[] }
        }),
      }),
      listTasks: async (request: proto.ListTasksRequest__Output) => ({
        tasks: this.#find(request.runId, request.projectId).tasks,
        nextCursor: '',
      }),
      watchRun: (request: proto.WatchRunRequest__Output) => this.#watch(request),
      explainRun: async (request: proto.ExplainRunRequest__Output) => {
        const { tasks } = this.#find(request.runId, request.projectId)
        const blocker = { kind: 'no_worker', detail: 'nobody runs it' }
        return {
          blockers: [],
          tasks: tasks.map(({ key = '', status = '' }) => ({ key, status, why: 'waits', blockers: [blocker] })),
        }
      },
      cancelRun: async (request: proto.CancelRunRequest__Output) => {
        this.onCancel(request.runId)
        const row = this.rows.get(request.runId)
        if (row === undefined) {
          this.keptCancels.push(request.runId)
          return {}
        }
        row.run.status = 'cancelling'
        return { run: row.run }
      },
      pauseRun: async (request: proto.PauseRunRequest__Output) => this.#command('pause', request.runId, 'paused'),
      resumeRun: async (request: proto.ResumeRunRequest__Output) => this.#command('resume', request.runId, 'running'),
      retryRun: async (request: proto.RetryRunRequest__Output) => {
        const { run } = this.#find(request.runId, request.projectId)
        if (run.status !== 'failed') throw conflict('run_not_failed', 'It did not fail.')
        run.status = 'running'
        return { run }
      },
      decideApproval: async (request: proto.DecideApprovalRequest__Output) => {
        this.decisions.push(request)
        return { run: this.#find(request.runId, request.projectId).run }
      },
      sendSignal: async (request: proto.SendSignalRequest__Output) => {
        this.signals.push(request)
        return {}
      },
      ...this.#letterHandlers(),
      holdsLease: async () => ({ holds: false, projectId: '' }),
    }
  }

  #command(kind: string, runId: string, status: string) {
    const run = this.rows.get(runId)?.run
    if (run === undefined) {
      this.keptCommands.push(`${kind}:${runId}`)
      return {}
    }
    if (['succeeded', 'failed', 'cancelled'].includes(run.status ?? '')) throw conflict('run_ended', 'It has ended.')
    run.status = status
    return { run }
  }

  #letter(id: string, projectId: string): proto.DeadLetter {
    const letter = this.letters.get(id)
    if (letter === undefined || letter.projectId !== projectId)
      throw notFound('dead_letter_not_found', 'No such letter.')
    return letter
  }

  #letterHandlers() {
    const close = (id: string, projectId: string, state: string) => {
      const letter = this.#letter(id, projectId)
      if (letter.state !== 'open') throw conflict('dead_letter_not_open', `It is ${letter.state}.`)
      letter.state = state
      return letter
    }
    return {
      listDeadLetters: async (request: proto.ListDeadLettersRequest__Output) => ({
        deadLetters: [...this.letters.values()]
          .filter((letter) => letter.projectId === request.projectId)
          .filter((letter) => request.state === '' || letter.state === request.state)
          .filter((letter) => request.workflow === '' || letter.workflow === request.workflow)
          .filter((letter) => request.class === '' || letter.error?.class === request.class)
          .filter((letter) => request.beforeId === '' || (letter.id ?? '') < request.beforeId)
          .sort((a, b) => ((a.id ?? '') < (b.id ?? '') ? 1 : -1))
          .slice(0, request.limit),
      }),
      getDeadLetter: async (request: proto.GetDeadLetterRequest__Output) => ({
        deadLetter: this.#letter(request.id, request.projectId),
      }),
      retryDeadLetter: async (request: proto.RetryDeadLetterRequest__Output) => {
        const letter = close(request.id, request.projectId, 'retried')
        if (request.inputJson !== '') letter.inputJson = request.inputJson
        return { deadLetter: letter }
      },
      deleteDeadLetter: async (request: proto.DeleteDeadLetterRequest__Output) => {
        close(request.id, request.projectId, 'deleted')
        return {}
      },
    }
  }

  async *#watch(request: proto.WatchRunRequest__Output): AsyncIterable<proto.WatchRunResponse> {
    yield { snapshot: this.#find(request.runId, request.projectId) }
    yield* this.changes()
  }
}

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  body: any
  headers: Headers
  text: string
}

export interface CallOptions {
  as?: Partial<Identity>
  type?: string
  headers?: Record<string, string>
}

export interface Harness {
  db: TestDatabase
  pool: Pool
  bus: EventBus
  scheduler: SchedulerDouble
  readonly service: WorkflowService
  projectId: string
  /** By the whole `authorization` value: what iam would say of it. */
  credentials: Map<string, Partial<Identity>>
  headers(as?: Partial<Identity>): Record<string, string>
  url(path: string): string
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>
  events(topic: string): Promise<{ key: string; data: Record<string, unknown> }[]>
  rpc: ReturnType<typeof createRpc>
  /** With other settings; the port of HTTP is another then, and `rpc` calls nobody. */
  restart(changed: Partial<WorkflowConfig>): Promise<void>
  stop(): Promise<void>
}

const createRpc = (port: number) =>
  createGrpcClient(workflowServiceDefinition, `127.0.0.1:${port}`, {
    serviceToken: () => testService('scheduler').tokenFor('workflow'),
    logger: testLogger,
  })

export async function startHarness(
  dependencies: Record<string, string[]> = {},
  settings: Partial<WorkflowConfig> = {},
): Promise<Harness> {
  const db = await testDatabase()
  const authority = testIdentityAuthority()
  const scheduler = new SchedulerDouble()
  await scheduler.start()
  const bus = createPostgresEventBus({ connectionString: db.url, logger: testLogger })
  const credentials = new Map<string, Partial<Identity>>()
  const validateToken = (authorization: string): Promise<Identity> => {
    const known = credentials.get(authorization)
    return known
      ? Promise.resolve(authority.identity(known))
      : Promise.reject(unauthenticated('token_revoked', 'Revoked.'))
  }
  const make = (changed: Partial<WorkflowConfig>) =>
    createWorkflowService(
      {
        databaseUrl: db.url,
        http: { host: '127.0.0.1', port: 0 },
        grpc: { host: '127.0.0.1', port: 0 },
        identity: testService('workflow'),
        iamGrpc: '127.0.0.1:1',
        schedulerGrpc: `127.0.0.1:${scheduler.port}`,
        logLevel: 'error',
        hookKey: Buffer.alloc(32, 5),
        dependencies,
        ...settings,
        ...changed,
      },
      {
        logger: testLogger,
        verifier: authority.verifier,
        validateToken,
        bus,
        quotas: async () => noQuotas,
        subjectNames: async (_, subjects) =>
          Object.fromEntries(subjects.map((subject) => [subject, `name of ${subject}`])),
        openStream: async () => () => undefined,
      },
    )
  let service = make({})
  await service.start()
  const pool = createPool({ connectionString: db.url, schema: 'workflow' })
  const projectId = randomUUID()
  const rpc = createRpc(service.grpcPort)
  const headers = (as: Partial<Identity> = {}) => ({
    [IDENTITY_HEADER]: authority.identityHeader({ projectId, ...as }),
  })
  const url = (path: string) => `http://127.0.0.1:${service.httpPort}${path}`
  return {
    db,
    pool,
    bus,
    scheduler,
    get service() {
      return service
    },
    projectId,
    credentials,
    rpc,
    headers,
    url,
    call: (method, path, body, options) => callApi(url(path), headers(options?.as), method, body, options),
    async events(topic) {
      const { rows } = await pool.query('select key, data from events.log where topic = $1 order by id', [topic])
      return rows
    },
    async restart(changed) {
      await service.stop()
      service = make(changed)
      await service.start()
    },
    async stop() {
      rpc.close()
      await service.stop()
      await bus.close()
      await scheduler.stop()
      await pool.end()
      await db.drop()
    },
  }
}

async function callApi(
  url: string,
  identity: Record<string, string>,
  method: string,
  body: unknown,
  options: CallOptions = {},
): Promise<Answer> {
  const hasBody = body !== undefined
  const response = await fetch(url, {
    method,
    headers: {
      ...identity,
      ...(hasBody ? { 'content-type': options.type ?? 'application/json' } : {}),
      ...options.headers,
    },
    ...(hasBody ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  return { status: response.status, body: isJson ? JSON.parse(text) : undefined, headers: response.headers, text }
}

export const noop = (name: string, more: object = {}) => ({
  name,
  tasks: { a: { uses: 'noop' }, b: { uses: 'noop', needs: ['a'] } },
  ...more,
})

export const protoRun = (id: string, projectId: string, more: Partial<proto.Run> = {}): proto.Run => ({
  id,
  projectId,
  workflow: 'w',
  version: 1,
  status: 'running',
  inputJson: '{}',
  priority: 5,
  createdAt: '2026-01-01T00:00:00.000Z',
  rev: 1,
  ...more,
})
