import { workflowServiceDefinition } from '@millrace/contracts'
import { warmUpChecks } from '@millrace/definition'
import { migrateEvents, type Subscription } from '@millrace/events'
import { createGrpcServer } from '@millrace/grpc'
import { createHttpServer, type Readiness } from '@millrace/http'
import { migrate, pingPool } from '@millrace/postgres'
import { routesOf } from '@millrace/routes'
import { untilDone } from '@millrace/service-runner'
import { BulkLoop } from './bulk-loop.js'
import { isHealthy } from './clients/dependency-health.js'
import { defaultConsoleDir, type WorkflowConfig } from './config.js'
import { deleteRuns, deletionTopics } from './consumers/delete-runs.js'
import { markTaken } from './consumers/mark-taken.js'
import { type AppContext, createContext, type WorkflowDeps } from './context.js'
import { consoleFiles } from './http/console.js'
import { handlersOf } from './http/handlers.js'
import { rewrapAll } from './rewrap.js'
import { createRun } from './rpc/create-run.js'
import { createRuns } from './rpc/create-runs.js'
import { getVersion } from './rpc/get-version.js'

export interface WorkflowService {
  start(): Promise<void>
  stop(): Promise<void>
  /** 0 until started. */
  readonly httpPort: number
  readonly grpcPort: number
}

export function createWorkflowService(config: WorkflowConfig, overrides: Partial<WorkflowDeps> = {}): WorkflowService {
  const ctx = createContext(config, overrides)
  const http = httpServerOf(ctx)
  const grpc = createGrpcServer({
    service: 'workflow',
    logger: ctx.logger,
    auth: { kind: 'internal', identity: config.identity },
    services: [
      {
        definition: workflowServiceDefinition,
        handlers: { createRun: createRun(ctx), createRuns: createRuns(ctx), getVersion: getVersion(ctx) },
      },
    ],
  })
  const bulk = new BulkLoop(ctx)
  const consumers: Subscription[] = []
  let ports = { http: 0, grpc: 0 }
  let stopRewrap: (() => Promise<void>) | undefined
  const stop = async () => {
    // Order: nothing new comes in, then what is under way ends, then what it stood on goes.
    await Promise.all([http.stop(), grpc.stop()])
    await stopRewrap?.()
    await Promise.all([bulk.stop(), ...consumers.map((consumer) => consumer.close())])
    await ctx.close()
  }
  return {
    get httpPort() {
      return ports.http
    },
    get grpcPort() {
      return ports.grpc
    },
    async start() {
      try {
        await migrateEvents(ctx.pool)
        await migrate(ctx.pool, { schema: 'workflow', directory: new URL('../migrations', import.meta.url) })
        consumers.push(...(await subscribe(ctx)))
        ctx.releaser.start()
        bulk.start()
        if (config.previousHookKey) stopRewrap = untilDone('sealing anew', ctx.logger, () => rewrapAll(ctx))
        // A failure shows when somebody needs a check.
        void warmUpChecks().catch(() => undefined)
        const grpcPort = await grpc.start(config.grpc.host, config.grpc.port)
        ports = { http: await http.start(config.http.host, config.http.port), grpc: grpcPort }
      } catch (error) {
        await stop()
        throw error
      }
    },
    stop,
  }
}

async function subscribe(ctx: AppContext): Promise<Subscription[]> {
  return [
    await ctx.bus.subscribe({
      group: 'workflow',
      topics: ['workflow.updated', 'workflow.completed'],
      handler: markTaken(ctx),
      maxBatch: 5_000,
      paceMs: 100,
      floodPaceMs: 500,
    }),
    await ctx.bus.subscribe({
      group: 'workflow.deletions',
      topics: deletionTopics,
      handler: deleteRuns(ctx),
      maxBatch: 10,
    }),
  ]
}

function httpServerOf(ctx: AppContext) {
  const files = consoleFiles(ctx.config.consoleDir ?? defaultConsoleDir, ctx.logger)
  return createHttpServer({
    ...(files ? { files } : {}),
    service: 'workflow',
    routes: routesOf('workflow'),
    handlers: handlersOf(ctx),
    verifier: ctx.verifier,
    recheck: { validateToken: ctx.validateToken, openStream: ctx.openStream },
    tls: ctx.config.identity.tls,
    logger: ctx.logger,
    onRefusal: (refusal) => ctx.refusals.note(refusal),
    idempotency: { pool: ctx.pool, digestKeys: digestKeysOf(ctx.config) },
    readiness: () => readinessOf(ctx),
  })
}

async function readinessOf(ctx: AppContext): Promise<Readiness> {
  const asked = Object.entries(ctx.config.dependencies ?? {})
  const checks = await Promise.all([
    pingPool(ctx.pool).then((up) => ['postgres', up] as const),
    ...asked.map(async ([name, urls]) => [name, (await Promise.all(urls.map(isHealthy))).includes(true)] as const),
  ])
  return {
    ok: checks.every(([, up]) => up),
    dependencies: Object.fromEntries(checks.map(([name, up]) => [name, up ? 'up' : 'down'])),
  }
}

const digestKeysOf = ({ hookKey, previousHookKey }: WorkflowConfig): string[] =>
  [hookKey, previousHookKey].flatMap((key) => key?.toString('base64') ?? [])
