import { migrateEvents, type Subscription } from '@millrace/events'
import { createHttpServer } from '@millrace/http'
import { migrate, pingPool } from '@millrace/postgres'
import { routesOf } from '@millrace/routes'
import type { ArtifactConfig } from './config.js'
import { deleteRuns, deletionTopics } from './consumers/delete-runs.js'
import { onRetentionChanged } from './consumers/retention-changed.js'
import { onWorkflowDeleted } from './consumers/workflow-deleted.js'
import { type AppContext, type ArtifactDeps, createContext } from './context.js'
import { handlersOf } from './http/handlers.js'
import { startStorageReports } from './storage-reporter.js'
import { Sweeper } from './sweeper.js'

export interface ArtifactService {
  start(): Promise<void>
  stop(): Promise<void>
  /** 0 until started. */
  readonly httpPort: number
}

export function createArtifactService(config: ArtifactConfig, overrides: Partial<ArtifactDeps> = {}): ArtifactService {
  const ctx = createContext(config, overrides)
  const sweeper = new Sweeper(ctx)
  const http = createHttpServer({
    service: 'artifact',
    routes: routesOf('artifact'),
    handlers: handlersOf(ctx, () => sweeper.trigger()),
    verifier: ctx.verifier,
    tls: config.identity.tls,
    logger: ctx.logger,
    onRefusal: (refusal) => ctx.refusals.note(refusal),
    idempotency: { pool: ctx.pool },
    readiness: () => readinessOf(ctx),
  })
  const consumers: Subscription[] = []
  let httpPort = 0
  let stopReports: (() => Promise<void>) | undefined
  const stop = async () => {
    // Order: nothing new comes in, then what is under way ends, then what it stood on goes.
    await http.stop()
    await Promise.all(consumers.map((consumer) => consumer.close()))
    await sweeper.stop()
    await stopReports?.()
    await ctx.close()
  }
  return {
    get httpPort() {
      return httpPort
    },
    async start() {
      try {
        await ctx.store.prepare()
        await migrateEvents(ctx.pool)
        await migrate(ctx.pool, { schema: 'artifact', directory: new URL('../migrations', import.meta.url) })
        consumers.push(...(await subscribe(ctx, () => sweeper.trigger())))
        sweeper.start()
        stopReports = startStorageReports(ctx)
        httpPort = await http.start(config.http.host, config.http.port)
      } catch (error) {
        await stop()
        throw error
      }
    },
    stop,
  }
}

async function subscribe(ctx: AppContext, sweep: () => void): Promise<Subscription[]> {
  return [
    await ctx.bus.subscribe({ group: 'artifact', topics: ['workflow.deleted'], handler: onWorkflowDeleted(ctx) }),
    await ctx.bus.subscribe({
      group: 'artifact.deletions',
      topics: deletionTopics,
      handler: deleteRuns(ctx, sweep),
      maxBatch: 10,
    }),
    await ctx.bus.subscribe({
      group: 'artifact.retention',
      topics: ['retention.changed'],
      handler: onRetentionChanged(ctx, sweep),
    }),
  ]
}

async function readinessOf(ctx: AppContext) {
  const [postgres, storage] = await Promise.all([
    pingPool(ctx.pool),
    ctx.store.head('readiness').then(
      () => true,
      () => false,
    ),
  ])
  const word = (up: boolean) => (up ? ('up' as const) : ('down' as const))
  return { ok: postgres && storage, dependencies: { postgres: word(postgres), storage: word(storage) } }
}
