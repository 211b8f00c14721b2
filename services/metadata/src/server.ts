import { logServiceDefinition } from '@millrace/contracts'
import { migrateEvents, type Subscription } from '@millrace/events'
import { createGrpcServer } from '@millrace/grpc'
import { createHttpServer } from '@millrace/http'
import { createPool } from '@millrace/postgres'
import { routesOf } from '@millrace/routes'
import type { MetadataConfig } from './config.js'
import { deleteRuns } from './consumers/delete-runs.js'
import { type RecordedTopic, recordEvents, recordedTopics } from './consumers/record-events.js'
import { type AppContext, createContext, type MetadataDeps } from './context.js'
import { handlersOf } from './http/handlers.js'
import { appendLogs } from './rpc/append-logs.js'

export interface MetadataService {
  start(): Promise<void>
  stop(): Promise<void>
  /** 0 until started. */
  readonly httpPort: number
  /** Of the public listener, where workers append logs. */
  readonly publicGrpcPort: number
}

const EVENTS_A_BATCH = 20_000
/** Several events of one task then change its document once. */
const PACE_MS = 150
/**
 * In a flood a whole short run then is one write of its document, and its engine has the machine meanwhile. Lists of
 * jobs are so far behind, and by as long as the writing takes.
 */
const FLOOD_PACE_MS = 3_000

export function createMetadataService(config: MetadataConfig, overrides: Partial<MetadataDeps> = {}): MetadataService {
  const ctx = createContext(config, overrides)
  const http = makeHttpServer(ctx)
  const grpc = makeGrpcServer(ctx)
  const consumers: Subscription[] = []
  const ports = { http: 0, publicGrpc: 0 }
  const stop = async () => {
    // Order: nothing new comes in and streams end, then what is under way ends, then what it stood on goes.
    await Promise.all([http.stop(), grpc.stop()])
    await Promise.all(consumers.map((consumer) => consumer.close()))
    await ctx.appender.close()
    await ctx.close()
  }
  return {
    get httpPort() {
      return ports.http
    },
    get publicGrpcPort() {
      return ports.publicGrpc
    },
    async start() {
      try {
        await ctx.store.prepare()
        if (overrides.bus === undefined) await prepareEvents(config)
        consumers.push(...(await subscribe(ctx)))
        ports.publicGrpc = await grpc.start(config.publicGrpc.host, config.publicGrpc.port)
        ports.http = await http.start(config.http.host, config.http.port)
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
    await ctx.bus.subscribe<RecordedTopic>({
      group: 'metadata',
      topics: recordedTopics,
      handler: recordEvents(ctx),
      maxBatch: EVENTS_A_BATCH,
      paceMs: PACE_MS,
      floodPaceMs: FLOOD_PACE_MS,
    }),
    await ctx.bus.subscribe({
      group: 'metadata.deletions',
      topics: ['runs.deleted', 'project.deleted'],
      handler: deleteRuns(ctx),
      maxBatch: 10,
    }),
  ]
}

const makeHttpServer = (ctx: AppContext) =>
  createHttpServer({
    service: 'metadata',
    routes: routesOf('metadata'),
    handlers: handlersOf(ctx),
    verifier: ctx.verifier,
    recheck: { validateToken: ctx.validateToken, openStream: ctx.openStream },
    tls: ctx.config.identity.tls,
    logger: ctx.logger,
    onRefusal: (refusal) => ctx.refusals.note(refusal),
    readiness: async () => {
      const up = await ctx.store.ping()
      return { ok: up, dependencies: { jobStore: up ? 'up' : 'down' } }
    },
  })

const makeGrpcServer = (ctx: AppContext) =>
  createGrpcServer({
    service: 'metadata',
    logger: ctx.logger,
    auth: { kind: 'public', validate: ctx.validateToken, identity: ctx.config.identity },
    onRefusal: (refusal) => ctx.refusals.note(refusal),
    services: [{ definition: logServiceDefinition, handlers: { append: appendLogs(ctx) } }],
  })

async function prepareEvents(config: MetadataConfig): Promise<void> {
  const pool = createPool({ connectionString: config.databaseUrl, schema: 'events', max: 1 })
  try {
    await migrateEvents(pool)
  } finally {
    await pool.end()
  }
}
