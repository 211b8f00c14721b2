import { migrateEvents, type Subscription } from '@millrace/events'
import { createHttpServer } from '@millrace/http'
import { migrate, pingPool } from '@millrace/postgres'
import { routesOf } from '@millrace/routes'
import { untilDone } from '@millrace/service-runner'
import type { NotificationConfig } from './config.js'
import { deleteRuns, deletionTopics } from './consumers/delete-runs.js'
import { matchEvents } from './consumers/match-events.js'
import { type AppContext, createContext, type NotificationDeps } from './context.js'
import { type NotifiedTopic, notifiedTopics } from './domain/topic.js'
import { handlersOf } from './http/handlers.js'
import { rewrapAll } from './rewrap.js'

export interface NotificationService {
  start(): Promise<void>
  stop(): Promise<void>
  /** 0 until started. */
  readonly httpPort: number
}

/** What a receiver takes longer for is cut off, given back and sent again after the restart. */
const longestDrainMs = 5000

export function createNotificationService(
  config: NotificationConfig,
  overrides: Partial<NotificationDeps> = {},
): NotificationService {
  const ctx = createContext(config, overrides)
  const http = createHttpServer({
    service: 'notification',
    routes: routesOf('notification'),
    handlers: handlersOf(ctx),
    verifier: ctx.verifier,
    tls: config.identity.tls,
    logger: ctx.logger,
    onRefusal: (refusal) => ctx.refusals.note(refusal),
    idempotency: { pool: ctx.pool, digestKeys: digestKeysOf(config) },
    readiness: () => readinessOf(ctx),
  })
  const consumers: Subscription[] = []
  let httpPort = 0
  let stopRewrap: (() => Promise<void>) | undefined
  let stopped: Promise<void> | undefined
  const stopOnce = async () => {
    // Order: nothing new comes in, then what is under way ends, then what it stood on goes.
    await http.stop()
    await stopRewrap?.()
    await Promise.all(consumers.map((consumer) => consumer.close()))
    await ctx.loop.stop(Math.min(ctx.delivery.timeoutMs, longestDrainMs))
    await ctx.close()
  }
  const stop = () => {
    stopped ??= stopOnce()
    return stopped
  }
  return {
    get httpPort() {
      return httpPort
    },
    async start() {
      try {
        await migrateEvents(ctx.pool)
        await migrate(ctx.pool, { schema: 'notification', directory: new URL('../migrations', import.meta.url) })
        ctx.loop.start()
        if (config.previousSecretKey) stopRewrap = untilDone('sealing anew', ctx.logger, () => rewrapAll(ctx))
        consumers.push(...(await subscribe(ctx)))
        httpPort = await http.start(config.http.host, config.http.port)
      } catch (error) {
        await stop()
        throw error
      }
    },
    stop,
  }
}

const digestKeysOf = ({ secretKey, previousSecretKey }: NotificationConfig): string[] =>
  [secretKey, previousSecretKey].flatMap((key) => key?.toString('base64') ?? [])

async function subscribe(ctx: AppContext): Promise<Subscription[]> {
  return [
    await ctx.bus.subscribe<NotifiedTopic>({
      group: 'notification',
      topics: notifiedTopics,
      handler: matchEvents(ctx),
      paceMs: 30,
    }),
    await ctx.bus.subscribe({
      group: 'notification.deletions',
      topics: deletionTopics,
      handler: deleteRuns(ctx),
      maxBatch: 10,
    }),
  ]
}

async function readinessOf(ctx: AppContext) {
  const database = await pingPool(ctx.pool)
  return { ok: database, dependencies: { postgres: database ? ('up' as const) : ('down' as const) } }
}
